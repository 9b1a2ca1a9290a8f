package host

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"containlease/lease"
	"containlease/lease/process"

	"golang.org/x/sys/unix"
)

// gateName is argv[0] of a program that is started as its own gate.
const gateName = "containlease-gate"

// mainCalled is set by GateMain in a normal start. Without it a program that is started again as its own gate
// would run its whole main once more.
var mainCalled atomic.Bool

// gateProcess is a gate as its owner sees it: alive, waiting, and exactly identified.
type gateProcess struct {
	conn     *conn
	child    *os.Process // the same, as we started it
	process  process.Process
	pidfd    *process.Pidfd
	dead     chan struct{} // closed once it was reaped
	boundary boundary
	path     string // of the plugin, for messages
	tty      bool   // the plugin reads from a terminal
}

// ended reports whether the gate has ended. Only of an identified one.
func (g *gateProcess) ended() bool {
	exited, err := g.pidfd.Exited()
	return exited && err == nil
}

// summon starts a gate and makes sure which process it is. On an error there is none left.
func summon(h *lease.Handle, cmd *exec.Cmd, b boundary, o options) (*gateProcess, error) {
	g, err := launch(cmd, b, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGate, err)
	}
	pass("the gate starts")
	s := specOf(h, cmd, o)
	s.Boundary, s.Terminal = b.record(), g.tty
	if err := g.identify(s); err != nil {
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
	g := &gateProcess{conn: c, child: self.Process, dead: make(chan struct{}), boundary: b, path: cmd.Path, tty: tty}
	go func() { defer close(g.dead); _ = self.Wait() }() // its status proves nothing
	return g, nil
}

// check refuses what the gate could not pass on faithfully.
func check(cmd *exec.Cmd) error {
	switch {
	case cmd.Err != nil:
		return &StartError{Path: cmd.Path, Err: cmd.Err}
	case cmd.Process != nil:
		return fmt.Errorf("%w: it was started already", ErrCommand)
	case cmd.SysProcAttr != nil:
		return fmt.Errorf("%w: it has a SysProcAttr, which the gate does not pass on", ErrCommand)
	}
	return nil
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

func specOf(h *lease.Handle, cmd *exec.Cmd, o options) spec {
	s := spec{
		Home: h.Registry().Dir(), LeaseID: h.ID(), Token: h.Snapshot().Lease.Owner.Token,
		Path: cmd.Path, Dir: cmd.Dir, Args: cmd.Args, Env: cmd.Environ(),
		Extra: len(cmd.ExtraFiles), GraceNanos: o.grace.Nanoseconds(),
	}
	if len(s.Args) == 0 {
		s.Args = []string{cmd.Path}
	}
	return s
}

// identify learns the gate's pid from the kernel, pins it, and has it answer once more: only then is it certain that
// what was pinned is what answered.
func (g *gateProcess) identify(s spec) (err error) {
	if err := g.greet(s); err != nil {
		return err
	}
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
