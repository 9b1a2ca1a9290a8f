package lease

import (
	"context"
	"errors"
	"fmt"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"
)

// Event takes the arrow of ev with one durable write, and moves memory after the disk. hostStarting and hostStarted
// take a leasefile.Host (see HostOf); cleanupUnsafe may take an error, its cause, for log and observer. ctx is looked at before the start
// and while waiting for a turn or a lock; a write once begun is brought to its end.
//
// Errors: ErrRefused, ErrBadArgument, ErrBusy, ErrClosed, ErrChanged, ErrLostLock, ErrNotDurable (the state moved), ErrUnsettled (frozen), or
// the cause of a write that did not land.
func (h *Handle) Event(ctx context.Context, ev fsm.Event, args ...any) error {
	in, err := input(ev, args)
	if err != nil {
		return err
	}
	if ev == fsm.Release {
		return h.Release(ctx)
	}
	return h.fire(ctx, ev, in)
}

// input sorts out the arguments of an event.
func input(ev fsm.Event, args []any) (in fsm.Input[leasefile.Host], err error) {
	wantsHost := ev == fsm.HostStarting || ev == fsm.HostStarted
	for _, a := range args {
		switch a := a.(type) {
		case nil: // a cause that turned out to be none
		case leasefile.Host:
			if !wantsHost || in.Host != nil {
				return in, fmt.Errorf("%w: %s takes no such host", ErrBadArgument, ev)
			}
			in.Host = &a
		case error:
			if ev != fsm.CleanupUnsafe || in.Cause != nil {
				return in, fmt.Errorf("%w: %s takes no cause", ErrBadArgument, ev)
			}
			in.Cause = a
		default:
			return in, fmt.Errorf("%w: %s was given a %T", ErrBadArgument, ev, a)
		}
	}
	if wantsHost && in.Host == nil {
		return in, fmt.Errorf("%w: %s wants the host, a leasefile.Host", ErrBadArgument, ev)
	}
	return in, nil
}

// fire gives the event to the machine, in turn, and tells the observer afterwards.
func (h *Handle) fire(ctx context.Context, ev fsm.Event, in fsm.Input[leasefile.Host]) error {
	if err := h.turn.take(ctx); err != nil {
		return h.explain(err, "%s was not tried", ev)
	}
	defer h.outbox.deliver(h.reg.tell)
	defer h.turn.give()
	if err := h.usable(ev); err != nil {
		return err
	}
	start, from := h.reg.opt.clock(), h.machine.State()
	err := h.machine.Fire(ctx, ev, in)
	o := Observation{Kind: Moved, Lease: h.id, Plugin: h.lease.Identity.PluginID, Event: ev, From: from,
		To: h.machine.State(), Took: h.reg.opt.clock().Sub(start), Err: err}
	if in.Cause != nil {
		o.Detail = in.Cause.Error()
	}
	switch {
	case o.From == o.To && err == nil:
		return nil
	case o.From == o.To:
		o.Kind = Failed
	}
	if !errors.Is(err, ErrBlocked) {
		h.outbox.post(o)
	}
	return err
}

// hook is the one write of an arrow: stage, publish, settle. Its word moves memory.
func (h *Handle) hook(ctx context.Context, t fsm.Transition[leasefile.Host]) (landed bool, err error) {
	if err := h.owns(t.Write); err != nil {
		return false, err
	}
	a, err := h.plan(t)
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	a.before, h.write = h.write, a // a panic below leaves the handle frozen, which is the truth
	h.mu.Unlock()
	return h.outcome(a, a.Do(context.WithoutCancel(ctx), h.reg.store, h.lockFor(ctx, a.Op)))
}

// plan is the arrow's write as a value.
func (h *Handle) plan(t fsm.Transition[leasefile.Host]) (*attempt, error) {
	a := &attempt{Attempt: persist.Attempt{Key: h.id, Old: h.digest}, transition: t, next: h.lease}
	switch t.Write {
	case fsm.WriteRemove:
		a.Op = persist.Remove
		return a, nil
	case fsm.WriteReplace:
		a.Op = persist.Replace
		a.next.Containment = leasefile.Containment{Status: leasefile.ContainmentStatus(t.To), Host: t.Host}
	case fsm.WriteCreate:
		a.Op = persist.Create
	}
	if err := a.next.Validate(); err != nil {
		return nil, fmt.Errorf("%w: lease %s, %s: %w", ErrInvalid, h.id, t.Event, err)
	}
	a.Next = a.next.AppendCanonical(nil)
	return a, nil
}

// lockFor is the lock around a publication: a create checks admission under the exclusive catalogue lock, everything else
// only has to keep listings from missing it.
func (h *Handle) lockFor(ctx context.Context, op persist.Op) persist.Publish {
	if op == persist.Create {
		return h.admission(ctx)
	}
	return h.reg.locked(ctx, file.Shared)
}

// outcome is the table of what is known after a write.
func (h *Handle) outcome(a *attempt, err error) (landed bool, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err == nil:
		h.write = nil
		h.move(a)
		return true, nil
	case errors.Is(err, persist.ErrNotDurable):
		a.landed = true
		h.move(a)
		return true, h.explain(err, "%s is written; do not rely on it before Resync succeeds", a.transition.Event)
	case errors.Is(err, persist.ErrUnsettled):
		return false, h.explain(err, "%s may or may not be written; the handle is frozen: call Resync", a.transition.Event)
	case errors.Is(err, persist.ErrChanged), errors.Is(err, persist.ErrExists):
		h.write, h.lost = a.before, fmt.Errorf("%w: %w", ErrChanged, err)
		return false, h.explain(h.lost, "%s was not written; this handle never writes it back", a.transition.Event)
	}
	h.write = a.before // nothing was learnt about it
	return false, err
}

// move takes the written bytes into memory. The caller holds mu.
func (h *Handle) move(a *attempt) {
	h.lost, h.state = nil, a.transition.To
	if a.Op == persist.Remove {
		return
	}
	h.lease, h.digest = a.next, persist.DigestOf(a.Next)
}

// owns makes sure that the liveness lock is the one taken at acquire, without which nothing is written.
func (h *Handle) owns(w fsm.Write) error {
	if w == fsm.WriteCreate {
		return nil // claim looks after it
	}
	if err := h.liveness.Check(); err != nil {
		return h.lose(fmt.Errorf("%w: %w", ErrLostLock, err))
	}
	return nil
}

func (h *Handle) lose(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = err
	return h.explain(err, "somebody removed or replaced it")
}

// explain names the lease before an error.
func (h *Handle) explain(err error, format string, args ...any) error {
	return fmt.Errorf("lease %s: %s: %w", h.id, fmt.Sprintf(format, args...), err)
}
