package host

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ending is how an invocation ended, as its owner saw it.
type ending struct {
	code              int
	signaled, started bool
	failed            error // the plugin could not be started
	unproved          error // why the end is not proved; nil: it is
}

// attend waits for the end of an opened gate, passing on signals and the end of ctx. The proof is the gate's word that
// it has nothing left to wait for, the end of the socket, and the end of the gate: all three.
func (g *gateProcess) attend(ctx context.Context, o options) ending {
	defer g.pidfd.Close()
	defer g.conn.Close()
	frames, quit, broken := make(chan frame), make(chan struct{}), make(chan error, 1)
	defer close(quit)
	go func() { broken <- g.read(frames, quit) }()

	var e ending
	empty := false
	limit := deadline{after: o.grace + killWait}
	done := ctx.Done()
	for _, sig := range g.early {
		g.pass(sig, false, &limit)
	}
	for {
		select {
		case f := <-frames:
			empty = g.hear(f, &e, &limit) || empty
		case err := <-broken:
			return g.conclude(e, empty, err)
		case sig, open := <-o.signals:
			if !open {
				o.signals = nil // else it would be ready for ever
				continue
			}
			g.pass(sig, g.tty, &limit)
		case <-done:
			done = nil
			limit.start()
			_ = send(g.conn, kindStop, word{})
		case <-limit.passed:
			if limit.extend() {
				continue
			}
			e.unproved = fmt.Errorf("%v after the end was asked for, something of it is still alive: %s", limit.after, g.boundary.stop(g))
			return e
		}
	}
}

// read passes frames on until the socket ends.
func (g *gateProcess) read(frames chan<- frame, quit <-chan struct{}) error {
	for {
		f, err := receive(g.conn.in)
		if err != nil {
			return err
		}
		select {
		case frames <- f:
		case <-quit:
			return nil
		}
	}
}

// hear takes one word of the gate and reports whether it was the proof.
func (g *gateProcess) hear(f frame, e *ending, limit *deadline) (empty bool) {
	var w word
	if err := f.read(&w); err != nil {
		e.unproved = fmt.Errorf("the gate spoke nonsense: %w", err)
		return false
	}
	switch f.kind {
	case kindStarted:
		e.started = true
	case kindAsked:
		limit.start()
	case kindFailed:
		e.failed = &StartError{Path: g.path, Err: syscall.Errno(w.Number)}
		limit.start()
	case kindStopped:
		if g.stopped != nil {
			g.stopped(syscall.Signal(w.Number))
		}
	case kindStatus:
		e.code, e.signaled = statusOf(syscall.WaitStatus(w.Number))
		limit.start() // what it left behind has the grace to go
	case kindEmpty:
		return true
	}
	return false
}

// conclude judges the end of the socket.
func (g *gateProcess) conclude(e ending, empty bool, err error) ending {
	ctx, cancel := context.WithTimeout(context.Background(), killWait)
	defer cancel()
	if g.pidfd.Wait(ctx) != nil {
		e.unproved = fmt.Errorf("the gate closed its socket and does not end: %s", g.boundary.stop(g))
		return e
	}
	if !empty && e.unproved == nil {
		e.started = true
		e.unproved = fmt.Errorf("the gate ended without its word that nothing is left (was it killed?): %w; %s", err, g.boundary.stop(g))
	}
	<-g.dead // its output is passed on, or nobody waits for the rest of it any more
	return e
}

// pass gives one signal to the plugin, by way of the gate. had: a terminal has sent it to the plugin's group as well.
func (g *gateProcess) pass(sig os.Signal, had bool, limit *deadline) {
	s, ok := sig.(syscall.Signal)
	if !ok || !forwards(s, had) {
		return
	}
	if s == unix.SIGTERM || s == unix.SIGHUP {
		limit.start()
	}
	_ = send(g.conn, kindSignal, word{Number: int(s)}) // a broken socket is seen by read
}

// waiting takes what has arrived on ch.
func waiting(ch <-chan os.Signal) (all []os.Signal) {
	for {
		select {
		case sig, open := <-ch:
			if !open {
				return all
			}
			all = append(all, sig)
		default:
			return all
		}
	}
}

// forwards is the one rule of which signals reach the plugin through us.
func forwards(s syscall.Signal, tty bool) bool {
	switch s {
	case unix.SIGURG, unix.SIGCHLD, unix.SIGPIPE:
		return false
	case unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGWINCH, unix.SIGCONT:
		return !tty // the terminal sends them to the whole group itself, and the shell the last
	}
	return true
}

// statusOf is a wait status as a shell would tell it.
func statusOf(ws syscall.WaitStatus) (code int, signaled bool) {
	if ws.Signaled() {
		return 128 + int(ws.Signal()), true
	}
	return ws.ExitStatus(), false
}

// deadline is started at most once, and extended at most once.
type deadline struct {
	after    time.Duration
	passed   <-chan time.Time
	extended bool
}

func (d *deadline) start() {
	if d.passed == nil {
		d.passed = time.After(d.after)
	}
}

// extend gives a reprieve, and reports false where there was one: an owner that was stopped, or starved, past its limit may have the
// proof in its socket, unread.
func (d *deadline) extend() bool {
	if d.extended {
		return false
	}
	d.passed, d.extended = time.After(reprieve), true
	return true
}
