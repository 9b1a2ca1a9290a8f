package host

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"

	"golang.org/x/sys/unix"
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
	i := &invocation{h: h, cmd: cmd, o: collect(opts)}
	if err := i.begin(ctx); err != nil {
		return i.res, err
	}
	g, err := summon(h, cmd, i.b, i.o)
	if err != nil {
		return i.res, i.abandon(ctx, err)
	}
	err = i.conduct(ctx, g)
	return i.res, err
}

// invocation is what Run and Prepare have in common: all but who starts the gate.
type invocation struct {
	h   *lease.Handle
	cmd *exec.Cmd // the plugin
	o   options
	b   boundary
	res Result
}

// begin builds the boundary. On an error nothing was started, and the lease is complete.
func (i *invocation) begin(ctx context.Context) error {
	if s := i.h.State(); s != fsm.StateParentOwned {
		return &fsm.TransitionError{Lease: i.h.ID(), State: s, Event: fsm.HostStarting, Class: fsm.OutOfOrder}
	}
	b, choice, err := enclose(ctx, i.h, i.cmd, i.o)
	i.b, i.res.Boundary, i.res.Why = b, choice.Kind, choice.Why
	if err != nil {
		return errors.Join(err, record(context.WithoutCancel(ctx), i.h, fsm.CleanupComplete))
	}
	pass("the boundary is built")
	return nil
}

// abandon completes a lease of which no gate can open any more, for the reason that is given.
func (i *invocation) abandon(ctx context.Context, reason error) error {
	return errors.Join(reason, i.b.dissolve(), record(context.WithoutCancel(ctx), i.h, fsm.CleanupComplete))
}

// conduct opens the gate, waits for the end and proves it.
func (i *invocation) conduct(ctx context.Context, g *gateProcess) error {
	cleanup := context.WithoutCancel(ctx)
	if err := g.admit(ctx, i.h); err != nil {
		return errors.Join(err, g.dismiss(cleanup, i.h))
	}
	if g.open(); errors.Is(g.unopened, unix.EPIPE) { // the kernel's word that nobody is there to hear it
		return errors.Join(g.unopened, g.dismiss(cleanup, i.h))
	}
	pass("the gate opens")
	end := g.attend(ctx, i.o)
	pass("the gate ends")
	// The kernel removes no group that somebody is in: the gate's word is checked by the owner's own eyes.
	if err := i.b.dissolve(); end.unproved == nil && errors.Is(err, lease.ErrOccupied) {
		end.unproved = fmt.Errorf("the gate said that nothing is left: %w", err)
	}
	pass("the boundary is removed")
	i.res.Started, i.res.Code, i.res.Signaled = end.started, end.code, end.signaled
	if end.unproved != nil {
		reason := fmt.Errorf("%w: %w", ErrUnsafe, end.unproved)
		return errors.Join(reason, record(cleanup, i.h, fsm.CleanupUnsafe, reason))
	}
	if err := record(cleanup, i.h, fsm.CleanupComplete); err != nil {
		return errors.Join(end.failed, err)
	}
	return end.failed
}

// enclose checks the command, settles which boundary it gets, and builds it.
func enclose(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, o options) (b boundary, c Choice, err error) {
	if err := check(cmd, o); err != nil {
		return nil, c, err
	}
	if err := permitted(o); err != nil {
		return nil, c, err
	}
	c = Choice{Kind: o.boundary, Why: askedFor}
	if o.boundary == Auto {
		if c, err = best(); err != nil {
			return nil, c, err
		}
	}
	if b, err = boundaryOf(leasefile.BoundaryKind(c.Kind)); err == nil {
		err = b.build(ctx, h)
	}
	return b, c, err
}

// admit puts the waiting gate on record: nothing of the plugin runs before host-active is durable.
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
	return nil
}

// open opens a gate that is on record. From here on nothing but its own word is proof, unless it has ended before: whatever else we
// are told, it may have heard us.
func (g *gateProcess) open() {
	if err := g.conn.say(kindOpen, nil); err != nil {
		g.unopened = fmt.Errorf("%w: opening it: %w", ErrGate, err)
	}
}

// dismiss ends a gate that was never opened. Its death is all the proof that is needed: none of the plugin's code ran.
func (g *gateProcess) dismiss(ctx context.Context, h *lease.Handle) error {
	defer g.pidfd.Close()
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
