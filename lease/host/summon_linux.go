package host

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"containlease/lease"
	"containlease/lease/process"

	"golang.org/x/sys/unix"
)

// gateProcess is a gate as its owner sees it: alive, waiting, and exactly identified.
type gateProcess struct {
	conn     *conn
	process  process.Process
	pidfd    *process.Pidfd
	kill     func() error  // of this process and no other; nil before a front's gate is identified
	dead     chan struct{} // closed once it has ended, and was reaped if that is for us to do, or lost is set
	lost     error         // why nobody can wait for its end any more; to be read once dead is closed
	over     atomic.Bool   // its end was proved
	unopened error         // why it may not have heard that it shall open
	boundary boundary
	path     string          // of the plugin, for messages
	tty      bool            // the plugin reads from a terminal
	early    []os.Signal     // what came before there was a gate to catch it
	stopped  func(os.Signal) // told of every stop of the plugin; nil: nobody wants to know
}

// summon starts a gate and makes sure which process it is; another one if a key ended it before it could catch any. On an error there is none left.
func summon(h *lease.Handle, cmd *exec.Cmd, b boundary, o options) (*gateProcess, error) {
	var early []os.Signal
	for {
		g, err := summonOnce(h, cmd, b, o)
		n := len(early)
		early = append(early, waiting(o.signals)...)
		if err == nil {
			g.early = early
			return g, nil
		}
		if !errors.Is(err, errUngreeted) || len(early) == n {
			return nil, err
		}
	}
}

func summonOnce(h *lease.Handle, cmd *exec.Cmd, b boundary, o options) (*gateProcess, error) {
	g, err := launch(cmd, b, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGate, err)
	}
	pass("the gate starts")
	s, err := specOf(h, cmd, b, o)
	if err == nil {
		err = g.identify(s)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrGate, err), g.end(0))
	}
	pass("the gate is identified")
	return g, nil
}

// launch starts a gate in b.
func launch(cmd *exec.Cmd, b boundary, o options) (*gateProcess, error) {
	c, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	tty := isTerminal(cmd.Stdin)
	self, err := gateCommand(cmd, o.gate, theirs, tty)
	if err == nil {
		b.shape(self.SysProcAttr)
		err = self.Start()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	g := &gateProcess{conn: c, kill: self.Process.Kill, dead: make(chan struct{}), boundary: b, path: cmd.Path, tty: tty}
	if tty {
		g.stopped = o.stopped
	}
	go func() {
		defer close(g.dead)
		if err := self.Wait(); self.ProcessState == nil { // that there is a status proves the end; the status itself proves nothing
			g.lost = fmt.Errorf("it cannot be waited for: %w", err)
		}
	}()
	return g, nil
}

// check refuses what the gate could not pass on faithfully, and a file that is not the one expected.
func check(cmd *exec.Cmd, o options) error {
	switch {
	case cmd.Err != nil:
		return &StartError{Path: cmd.Path, Err: cmd.Err}
	case cmd.Process != nil:
		return fmt.Errorf("%w: it was started already", ErrCommand)
	case cmd.SysProcAttr != nil:
		return fmt.Errorf("%w: it has a SysProcAttr, which the gate does not pass on", ErrCommand)
	}
	return verify(cmd, o.sha256)
}

// verify compares the plugin's file with the digest that its caller expects, if there is one.
func verify(cmd *exec.Cmd, want []byte) error {
	if want == nil {
		return nil
	}
	f, err := os.Open(located(cmd))
	if err != nil {
		return &StartError{Path: cmd.Path, Err: err}
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return &StartError{Path: cmd.Path, Err: err}
	}
	if got := sum.Sum(nil); !bytes.Equal(got, want) {
		return fmt.Errorf("%w: %s has sha256 %x, expected was %x; nothing was started", ErrDigest, cmd.Path, got, want)
	}
	return nil
}

// located is the plugin's file as seen from here: a relative path is relative to where the plugin will be.
func located(cmd *exec.Cmd) string {
	if filepath.IsAbs(cmd.Path) {
		return cmd.Path
	}
	return filepath.Join(cmd.Dir, cmd.Path)
}

// gateCommand is the gate, with the plugin's standard files and extra files at their own numbers and the control
// socket behind them.
func gateCommand(cmd *exec.Cmd, path string, control *os.File, tty bool) (*exec.Cmd, error) {
	fd := strconv.Itoa(3 + len(cmd.ExtraFiles))
	gate := &exec.Cmd{Path: path, Args: []string{path, "gate", fd}, WaitDelay: killWait}
	if path == "" {
		if !mainCalled.Load() {
			return nil, ErrNoGate
		}
		gate.Path, gate.Args = "/proc/self/exe", []string{gateName, fd}
	}
	gate.Stdin, gate.Stdout, gate.Stderr = cmd.Stdin, cmd.Stdout, cmd.Stderr
	gate.ExtraFiles = append(append(gate.ExtraFiles, cmd.ExtraFiles...), control)
	gate.SysProcAttr = &syscall.SysProcAttr{Setpgid: !tty}
	return gate, nil
}

func specOf(h *lease.Handle, cmd *exec.Cmd, b boundary, o options) (spec, error) {
	home, err := filepath.Abs(h.Registry().Dir()) // a gate behind a front is where the plugin is
	return spec{
		Home: []byte(home), LeaseID: h.ID(), Token: h.Snapshot().Lease.Owner.Token,
		Path: []byte(cmd.Path), Dir: []byte(cmd.Dir), Args: bytesOf(argv(cmd)), Env: bytesOf(cmd.Environ()),
		Extra: len(cmd.ExtraFiles), GraceNanos: o.grace.Nanoseconds(), Boundary: b.record(),
	}, err
}

func argv(cmd *exec.Cmd) []string {
	if len(cmd.Args) == 0 {
		return []string{cmd.Path}
	}
	return cmd.Args
}

// identify greets the gate and makes sure which process it is.
func (g *gateProcess) identify(s spec) error {
	if err := g.greet(s); err != nil {
		return err
	}
	return g.pin()
}

// pin learns the gate's pid from the kernel, pins it, and has it answer once more: only then is it certain that
// what was pinned is what answered.
func (g *gateProcess) pin() (err error) {
	pid := g.conn.peer
	if g.pidfd, err = process.OpenPidfd(int64(pid)); err != nil {
		return err
	}
	if err := g.challenge(pid); err != nil {
		g.pidfd.Close()
		return err
	}
	if g.process, err = process.New().Lookup(int64(pid)); err == nil {
		err = send(g.conn, kindName, lease.HostOf(g.process.Identity))
	}
	if err != nil {
		g.pidfd.Close()
		return err
	}
	return g.conn.SetDeadline(time.Time{})
}

func (g *gateProcess) challenge(pid int) error {
	nonce := rand.Text()
	if err := send(g.conn, kindChallenge, word{Nonce: nonce}); err != nil {
		return err
	}
	var answer word
	if err := expect(g.conn.in, kindAnswer, &answer); err != nil {
		return err
	}
	if answer.Nonce != nonce || g.conn.peer != pid {
		return fmt.Errorf("pid %d answered for pid %d", g.conn.peer, pid)
	}
	return nil
}

// isTerminal reports whether the plugin will read from a terminal.
func isTerminal(stdin any) bool {
	f, ok := stdin.(*os.File)
	if !ok || f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
