package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ending is how an invocation ended, as its owner saw it.
type ending struct {
	code              int
	signaled, started bool
	told              bool   // what became of the plugin
	empty             bool   // the gate's word that nothing is left
	trouble           string // what stands in the gate's way
	failed            error  // the plugin could not be started
	unproved          error  // why the end is not proved; nil: it is
}

// doubt takes the end for unproved, for the first reason there is.
func (e *ending) doubt(format string, args ...any) {
	if e.unproved == nil {
		e.unproved = fmt.Errorf(format, args...)
	}
}

// attend waits for the end of an opened gate, passing on signals and the end of ctx. The proof is the gate's word that
// it has nothing left to wait for, the end of the socket, and the end of the gate: all three.
func (g *gateProcess) attend(ctx context.Context, o options) ending {
	defer g.pidfd.Close()
	defer g.conn.Close()
	g.conn.patience = reprieve
	frames, quit, broken := make(chan frame), make(chan struct{}), make(chan error, 1)
	defer close(quit)
	go func() { broken <- g.read(frames, quit) }()

	var e ending
	limit := deadline{after: o.grace + killWait}
	if g.unopened != nil {
		limit.start()
	}
	done, dead := ctx.Done(), g.dead
	for _, sig := range g.early {
		g.pass(sig, false, &limit)
	}
	for {
		select {
		case f := <-frames:
			g.hear(f, &e, &limit)
		case err := <-broken:
			return g.conclude(e, err, limit.after)
		case sig, open := <-o.signals:
			if !open {
				o.signals = nil // else it would be ready for ever
				continue
			}
			g.pass(sig, g.tty, &limit)
		case <-done:
			done = nil
			limit.start()
			_ = g.conn.say(kindStop, word{}) // a gate that does not hear it sees the end of the socket
		case <-dead:
			dead = nil // all is said, unless somebody else holds the socket open
			_ = g.conn.SetReadDeadline(time.Now().Add(killWait))
		case <-limit.passed:
			if limit.extend() {
				continue
			}
			e.doubt("%v after the end was asked for, something of it is still alive%s: %s", limit.after, e.because(), g.boundary.stop(g))
			return e
		}
	}
}

// because is what the gate said of its troubles, for the end of a clause.
func (e *ending) because() string {
	if e.trouble == "" {
		return ""
	}
	return " (the gate says: " + e.trouble + ")"
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

// hear takes one word of the gate. What is none, or comes in a place that is not its own, makes the end unproved.
func (g *gateProcess) hear(f frame, e *ending, limit *deadline) {
	var w word
	err := f.read(&w)
	if err == nil && e.empty {
		err = fmt.Errorf("%q after its last word", f.kind)
	}
	if err != nil {
		e.doubt("the gate spoke nonsense: %w", err)
		return
	}
	switch f.kind {
	case kindStarted:
		e.started = true
	case kindAsked:
		limit.start()
	case kindFailed:
		e.failed, e.told = &StartError{Path: g.path, Err: syscall.Errno(w.Number)}, true
		limit.start()
	case kindStopped:
		if g.stopped != nil {
			g.stopped(syscall.Signal(w.Number))
		}
	case kindStatus:
		e.code, e.signaled = statusOf(syscall.WaitStatus(w.Number))
		e.started, e.told = true, true
		limit.start() // what it left behind has the grace to go
	case kindTrouble:
		e.trouble = cmp.Or(e.trouble, w.Text)
		limit.start()
	case kindEmpty:
		e.empty = true
	default:
		e.doubt("the gate spoke nonsense: a frame %q", f.kind)
	}
}

// conclude judges the end of the socket, which came as err.
func (g *gateProcess) conclude(e ending, err error, wait time.Duration) ending {
	if !isEnd(err) {
		e.doubt("the gate cannot be heard any more: %w", err)
		g.conn.Close() // it takes that for our end, and ends what there is
	} else {
		wait = killWait
	}
	gone := g.await(wait)
	switch {
	case gone != nil:
		e.doubt("the gate closed its socket and does not end: %w", gone)
	case !e.empty && e.trouble != "":
		e.doubt("the gate could not prove the end: %s", e.trouble)
	case !e.empty:
		e.doubt("the gate ended without its word that nothing is left (was it killed?): %w", err)
	case e.told:
	case g.unopened != nil:
		e.failed = g.unopened
	default:
		e.doubt("the gate said that nothing is left, but not what became of the plugin")
	}
	if e.unproved != nil {
		e.unproved = fmt.Errorf("%w; %s", e.unproved, g.boundary.stop(g))
		e.started = e.started || e.failed == nil // who knows
	}
	g.passedOn()
	return e
}

// isEnd recognizes the end of the other side: before it nothing is lost.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, unix.ECONNRESET) }

// pass gives one signal to the plugin, by way of the gate. had: a terminal has sent it to the plugin's group as well.
func (g *gateProcess) pass(sig os.Signal, had bool, limit *deadline) {
	s, ok := sig.(syscall.Signal)
	if !ok || !forwards(s, had) {
		return
	}
	if s == unix.SIGTERM || s == unix.SIGHUP {
		limit.start()
	}
	if g.conn.say(kindSignal, word{Number: int(s)}) != nil {
		limit.start() // the gate sees our end, and ends what there is
	}
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
