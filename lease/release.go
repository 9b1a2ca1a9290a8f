package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"
)

// Resync brings a frozen or doubtful handle back to the truth: an unsettled write is sent again, the same bytes under the same
// condition, until the answer is definite; one whose durability is in doubt is written again through a new file; a handle that lost
// its lease looks whether the bytes it knows are back. Afterwards memory and disk agree, or the error says why not:
// ErrUnsettled (still frozen), ErrNotDurable, ErrChanged, ErrLostLock.
func (h *Handle) Resync(ctx context.Context) error {
	if err := h.turn.take(ctx); err != nil {
		return h.explain(err, "resync was not tried")
	}
	defer h.outbox.deliver(h.reg.tell)
	defer h.turn.give()
	h.mu.Lock()
	a, closed := h.write, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return h.explain(ErrClosed, "it was closed")
	case a != nil:
		return h.settle(ctx, a)
	case h.machine.State() == fsm.StateReleased:
		return nil
	}
	return h.compare(ctx)
}

// settle makes a definite and moves memory where it landed.
func (h *Handle) settle(ctx context.Context, a *attempt) error {
	if err := h.owns(a.transition.Write); err != nil {
		return err
	}
	doubt, wasLanded := ErrUnsettled, a.landed // as long as nothing is known, an earlier sending may still land
	if wasLanded {
		doubt = ErrNotDurable
	}
	err := a.Settle(context.WithoutCancel(ctx), h.reg.store, h.lockFor(ctx, a.Op))
	if !definite(err) {
		return h.explain(fmt.Errorf("%w: %w", doubt, err), "resync did not settle %s", a.transition.Event)
	}
	landed, err := h.outcome(a, err)
	if landed && !wasLanded {
		if merr := h.machine.Resume(a.transition); merr != nil {
			return errors.Join(err, merr)
		}
		h.outbox.post(Observation{Kind: Moved, Lease: h.id, Plugin: h.lease.Identity.PluginID, Event: a.transition.Event,
			From: a.transition.From, To: a.transition.To, Detail: "settled by resync", Err: err})
	}
	return err
}

// definite: after this answer the write is known to have landed, or not to land any more.
func definite(err error) bool {
	if err == nil || errors.Is(err, persist.ErrNotDurable) {
		return true
	}
	return !errors.Is(err, persist.ErrUnsettled) && (errors.Is(err, persist.ErrChanged) || errors.Is(err, persist.ErrExists))
}

// compare looks whether the disk still holds the bytes last known.
func (h *Handle) compare(ctx context.Context) error {
	if err := h.owns(fsm.WriteReplace); err != nil {
		return err
	}
	e, err := h.reg.store.Read(ctx, h.id)
	if err != nil && !errors.Is(err, persist.ErrNotExist) {
		return h.explain(err, "resync could not read it")
	}
	if err != nil || e.Digest != h.digest {
		return h.lose(ErrChanged)
	}
	h.mu.Lock()
	h.lost = nil
	h.mu.Unlock()
	return nil
}

// Release removes the lease and then everything beside it: the lease, the directory's sync, the owner's files, the lock. Only
// from cleanup-complete; may be repeated, also after ErrNotDurable.
func (h *Handle) Release(ctx context.Context) error {
	if h.machine.State() == fsm.StateReleased && !h.Snapshot().Durable {
		if err := h.Resync(ctx); err != nil {
			return err
		}
	} else if err := h.removeLease(ctx); err != nil {
		return err
	}
	return h.retire()
}

// removeLease removes the boundary's remains and then the lease.
func (h *Handle) removeLease(ctx context.Context) error {
	if h.Can(fsm.Release) {
		e, err := h.knownEvidence(ctx)
		if err != nil {
			return err
		}
		left, err := dissolve(&e)
		if err != nil {
			return h.explain(err, "it is complete, but not released")
		}
		h.reg.noteLeft(h.id, left)
	}
	return h.fire(ctx, fsm.Release, fsm.Input[leasefile.Host]{})
}

// retire removes the owner's files of a released lease. What cannot be removed is swept by the next acquire.
func (h *Handle) retire() error {
	if err := h.turn.take(context.Background()); err != nil {
		return err
	}
	h.reg.know(h, false)
	l := h.liveness
	h.liveness = nil
	h.turn.give()
	if l == nil {
		return nil
	}
	if err := l.Retire(); err != nil {
		h.reg.tell(Observation{Kind: Noted, Lease: h.id, Detail: "the owner's files are left for the next acquire to sweep", Err: err})
	}
	return nil
}

// disown undoes what an acquire that wrote nothing may have left.
func (h *Handle) disown() error {
	if h.liveness == nil {
		return nil
	}
	return h.liveness.Retire()
}

// kept are the liveness locks of handles that were closed with their lease still there.
var kept struct {
	sync.Mutex
	locks []*file.Liveness
}

// Close ends the use of the handle. A lease that was not released stays, and so does its liveness lock until this process
// ends: nobody may take the lease for abandoned while something of it may still run here.
func (h *Handle) Close() error {
	if err := h.turn.take(context.Background()); err != nil {
		return err
	}
	defer h.turn.give()
	h.mu.Lock() // and not beyond: nobody who asks for the state waits for a disk
	before, over := h.closed, h.state == fsm.StateReleased && h.write == nil
	h.closed = true
	h.mu.Unlock()
	if before {
		return nil
	}
	h.reg.know(h, false)
	switch {
	case h.liveness == nil:
	case over: // settled by Resync: there is nothing to look after any more
		return h.liveness.Retire()
	default:
		kept.Lock()
		defer kept.Unlock()
		kept.locks = append(kept.locks, h.liveness)
	}
	return nil
}
