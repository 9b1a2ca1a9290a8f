package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"time"

	"containlease/lease"
)

// Prepared is a command that somebody else starts. Its methods are safe for concurrent use, and give the same Result
// however often they are called.
type Prepared struct {
	inv    *invocation
	conn   *conn
	theirs *os.File // the front's end of it, for as long as it may yet be started
	shut   sync.Once
	cancel context.CancelFunc
	done   chan struct{} // closed once the rest and inv.res are there
	never  error         // ErrNeverStarted, and why
	err    error
}

// Prepare changes cmd so that a library which starts, signals, kills and waits for its commands itself (go-plugin, the MCP SDK's
// CommandTransport) runs it under h, which must be parent-owned. What the library starts is then the front, this program once more,
// whose child is the gate. Standard files, ExtraFiles, Env and Dir are the plugin's as ever, and may
// be changed until Start, as may Args by appending; Path, Args as they are now, and the number of ExtraFiles have to stay. The host is on
// record, durably, before any of the plugin's code runs.
//
// The library stops the plugin in its own way. A signal to the process that it started reaches the plugin; SIGKILL, which cannot be passed
// on, is a request to stop, as the end of ctx is: the plugin is sent TERM, and is killed after the grace. That process ends as the plugin
// does, with its exit status or by its signal. Then Finish proves the end.
//
// Of a SysProcAttr, session, process group, terminal and Pdeathsig are the front's; all else is refused. On an error nothing is changed in
// cmd, and the lease is complete: ErrCommand, ErrDigest, *StartError, ErrNoGate, ErrBoundary, ErrUnproved, or what h.Event returned.
func Prepare(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, opts ...Option) (*Prepared, error) {
	plugin := &exec.Cmd{Path: cmd.Path, Args: argv(cmd), Dir: cmd.Dir, Err: cmd.Err, Process: cmd.Process,
		ExtraFiles: cmd.ExtraFiles, Env: []string{}} // the environment is the front's
	i := &invocation{h: h, cmd: plugin, o: collect(opts)}
	i.o.signals = nil
	if err := i.begin(ctx); err != nil {
		return nil, err
	}
	p := &Prepared{inv: i, done: make(chan struct{})}
	err := frontable(cmd)
	if err == nil {
		err = p.replace(cmd)
	}
	if err != nil {
		return nil, i.abandon(ctx, err)
	}
	ctx, p.cancel = context.WithCancel(ctx)
	go p.serve(ctx)
	return p, nil
}

// frontable refuses what would make of the front something else than the gate's parent and equal, and what could not be started.
func frontable(cmd *exec.Cmd) error {
	if a := cmd.SysProcAttr; a != nil {
		rest := *a
		rest.Setsid, rest.Setpgid, rest.Pgid, rest.Pdeathsig, rest.PidFD = false, false, 0, 0, nil
		rest.Setctty, rest.Ctty, rest.Noctty, rest.Foreground = false, 0, false, false
		if !reflect.ValueOf(rest).IsZero() {
			return fmt.Errorf("%w: its SysProcAttr asks for more than a session, a process group, a terminal, Pdeathsig or PidFD", ErrCommand)
		}
	}
	info, err := os.Stat(located(cmd))
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = syscall.EACCES
	}
	if err != nil {
		return &StartError{Path: cmd.Path, Err: err}
	}
	return nil
}

// replace puts the front in the plugin's place.
func (p *Prepared) replace(cmd *exec.Cmd) (err error) {
	path := p.inv.o.gate
	if path == "" {
		if !mainCalled.Load() {
			return ErrNoGate
		}
		path = "/proc/self/exe"
	}
	if path, err = filepath.Abs(path); err != nil { // cmd.Dir is the plugin's
		return fmt.Errorf("%w: %w", ErrGate, err)
	}
	if p.conn, p.theirs, err = socketPair(); err != nil {
		return fmt.Errorf("%w: %w", ErrGate, err)
	}
	fd := strconv.Itoa(3 + len(cmd.ExtraFiles))
	cmd.Args = append([]string{frontName, fd, string(p.inv.b.record().Kind), cmd.Path}, argv(cmd)...)
	cmd.Path = path
	cmd.ExtraFiles = append(cmd.ExtraFiles[:len(cmd.ExtraFiles):len(cmd.ExtraFiles)], p.theirs)
	return nil
}

// serve is the owner's side, from the first word of the front to the proof of the end.
func (p *Prepared) serve(ctx context.Context) {
	defer close(p.done)
	defer p.cancel()
	g, err := p.meet(ctx)
	if err != nil {
		p.conn.Close() // without the byte that opens it no gate ever will: the plugin cannot run
		if errors.Is(err, ErrNeverStarted) {
			p.never, err = err, nil
		}
		p.err = p.inv.abandon(ctx, err)
		return
	}
	p.err = p.inv.conduct(ctx, g)
}

// meet waits for the front, for as long as it takes, and makes sure which process its gate is.
func (p *Prepared) meet(ctx context.Context) (*gateProcess, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetReadDeadline(time.Unix(1, 0)) })
	err := expect(p.conn.in, kindFront, nil)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNeverStarted, err) // whatever it is: nobody was opened
	}
	p.letGo()
	s, err := specOf(p.inv.h, p.inv.cmd, p.inv.b, p.inv.o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGate, err)
	}
	g := &gateProcess{conn: p.conn, boundary: p.inv.b, path: p.inv.cmd.Path, dead: make(chan struct{})}
	err = g.identify(s)
	if errors.Is(err, errUngreeted) {
		return nil, fmt.Errorf("%w: %w", ErrNeverStarted, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrGate, err)
	}
	pass("the gate is identified")
	g.kill = func() error { return g.pidfd.Signal(syscall.SIGKILL) }
	go func() {
		defer close(g.dead)
		g.lost = g.pidfd.Wait(context.Background())
		_ = g.pidfd.Reap() // where we are the init or a subreaper, and the front has ended before
	}()
	return g, nil
}

// letGo closes the front's end of the socket here, so that its end is seen when the last one who has it ends.
func (p *Prepared) letGo() {
	p.shut.Do(func() {
		// Whoever starts the command may be about to return from its fork, for which it has looked at this file.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		p.theirs.Close()
	})
}

// Finish waits until nothing of the plugin is left and has it recorded, as Run does and with Run's errors; the caller then releases the
// lease. It is for when the command was started, or its start has failed: it cannot be started any more. Usually the library has stopped
// and waited for the plugin before; as long as the plugin runs, Finish waits. When ctx ends it is asked to end, as by
// Cancel. ErrNeverStarted: no code of the plugin ran, and the lease is complete all the same.
func (p *Prepared) Finish(ctx context.Context) (Result, error) {
	p.letGo()
	defer context.AfterFunc(ctx, p.cancel)()
	<-p.done
	return p.inv.res, errors.Join(p.never, p.err)
}

// Cancel asks the plugin to end, if it was started, and is Finish else; that it was never started is then no error.
func (p *Prepared) Cancel() (Result, error) {
	p.cancel()
	p.letGo()
	<-p.done
	return p.inv.res, p.err
}
