package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
)

// Supported returns nil where Run can prove an end, else ErrUnsupported.
func Supported() error { return nil }

// Run starts cmd behind a gate under h, which must be parent-owned, waits for its end and proves it. cmd must not have been
// started; its Path, Args, Env, Dir, Stdin, Stdout, Stderr and ExtraFiles count, a SysProcAttr is refused. When ctx ends the plugin
// is asked to end, and killed after the grace; cleanup itself is never cut short.
//
// Afterwards the lease is cleanup-complete, and the caller releases it; or the error is ErrUnsafe with the reason,
// and the lease stays. Other errors tell of a plugin that was not started, its lease complete all the same: *StartError, ErrCommand, ErrNoGate,
// ErrGate, or what h.Event returned. With a nil error the Result is the plugin's own end.
func Run(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, opts ...Option) (Result, error) {
	o := options{grace: DefaultGrace}
	for _, opt := range opts {
		opt(&o)
	}
	res := Result{Boundary: string(leasefile.BoundaryKindSubreaper)}
	if s := h.State(); s != fsm.StateParentOwned {
		return res, &fsm.TransitionError{Lease: h.ID(), State: s, Event: fsm.HostStarting, Class: fsm.OutOfOrder}
	}
	cleanup := context.WithoutCancel(ctx)
	g, err := summon(h, cmd, o)
	if err != nil {
		return res, errors.Join(err, record(cleanup, h, fsm.CleanupComplete))
	}
	if err := g.admit(ctx, h); err != nil {
		return res, errors.Join(err, g.dismiss(cleanup, h))
	}
	end := g.attend(ctx, o)
	res.Started, res.Code, res.Signaled = end.started, end.code, end.signaled
	if end.unproved != nil {
		reason := fmt.Errorf("%w: %w", ErrUnsafe, end.unproved)
		return res, errors.Join(reason, record(cleanup, h, fsm.CleanupUnsafe, reason))
	}
	if err := record(cleanup, h, fsm.CleanupComplete); err != nil {
		return res, errors.Join(end.failed, err)
	}
	return res, end.failed
}

// admit puts the waiting gate on record and opens it: nothing of the plugin runs before host-active is durable.
func (g *gateProcess) admit(ctx context.Context, h *lease.Handle) error {
	boundary := leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}
	if err := h.Enclose(ctx, boundary, g.process.Inode); err != nil {
		return err
	}
	host := lease.HostOf(g.process.Identity)
	for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
		if err := h.Event(ctx, ev, host); err != nil {
			return err
		}
	}
	if err := send(g.conn, kindOpen, nil); err != nil {
		return fmt.Errorf("%w: opening it: %w", ErrGate, err)
	}
	return nil
}

// dismiss ends a gate that was never opened. Its death is all the proof that is needed: none of the plugin's code ran.
func (g *gateProcess) dismiss(ctx context.Context, h *lease.Handle) error {
	if err := g.end(killWait); err != nil {
		reason := fmt.Errorf("%w: the unopened gate, pid %d: %w", ErrUnsafe, g.process.PID, err)
		return errors.Join(reason, record(ctx, h, fsm.CleanupUnsafe, reason))
	}
	return record(ctx, h, fsm.CleanupComplete)
}

// end lets the gate see the end of its owner, waits, and kills it if it does not go.
func (g *gateProcess) end(wait time.Duration) error {
	g.conn.Close()
	select {
	case <-g.dead:
		return nil
	case <-time.After(wait):
	}
	if err := g.pidfd.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	select {
	case <-g.dead:
		return nil
	case <-time.After(wait):
		return errors.New("it does not die")
	}
}
