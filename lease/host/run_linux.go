package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
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
	o := collect(opts)
	if s := h.State(); s != fsm.StateParentOwned {
		return Result{}, &fsm.TransitionError{Lease: h.ID(), State: s, Event: fsm.HostStarting, Class: fsm.OutOfOrder}
	}
	cleanup := context.WithoutCancel(ctx)
	b, choice, err := enclose(ctx, h, cmd, o)
	res := Result{Boundary: choice.Kind, Why: choice.Why}
	if err != nil {
		return res, errors.Join(err, record(cleanup, h, fsm.CleanupComplete))
	}
	pass("the boundary is built")
	g, err := summon(h, cmd, b, o)
	if err != nil {
		return res, errors.Join(err, b.dissolve(), record(cleanup, h, fsm.CleanupComplete))
	}
	if err := g.admit(ctx, h); err != nil {
		return res, errors.Join(err, g.dismiss(cleanup, h))
	}
	pass("the gate opens")
	end := g.attend(ctx, o)
	pass("the gate ends")
	// The kernel removes no group that somebody is in: the gate's word is checked by the owner's own eyes.
	if err := b.dissolve(); end.unproved == nil && errors.Is(err, lease.ErrOccupied) {
		end.unproved = fmt.Errorf("the gate said that nothing is left: %w", err)
	}
	pass("the boundary is removed")
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

// enclose checks the command, settles which boundary it gets, and builds it.
func enclose(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, o options) (b boundary, c Choice, err error) {
	if err := check(cmd); err != nil {
		return nil, c, err
	}
	if err := permitted(o); err != nil {
		return nil, c, err
	}
	c = Choice{Kind: o.boundary, Why: askedFor}
	if o.boundary == Auto {
		c = best()
	}
	if b, err = boundaryOf(leasefile.BoundaryKind(c.Kind)); err == nil {
		err = b.build(ctx, h)
	}
	return b, c, err
}

// admit puts the waiting gate on record and opens it: nothing of the plugin runs before host-active is durable.
func (g *gateProcess) admit(ctx context.Context, h *lease.Handle) error {
	if err := h.Enclose(ctx, g.boundary.record(), g.process.Inode); err != nil {
		return err
	}
	pass("the boundary is recorded")
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
	err := g.end(killWait)
	if err == nil {
		if err = g.boundary.dissolve(); !errors.Is(err, lease.ErrOccupied) {
			err = nil // what is left of an empty group goes with the lease
		}
	}
	if err != nil {
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
	_ = g.child.Kill() // only ever the child itself: it is not reaped, or Kill knows that it is
	select {
	case <-g.dead:
		return nil
	case <-time.After(reapWait):
		return errors.New("it does not die")
	}
}
