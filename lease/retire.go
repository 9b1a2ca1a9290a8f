package lease

import (
	"context"
	"fmt"
	"slices"

	"containlease/gen/leasefile"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// RetireOption changes one Retire.
type RetireOption func(*word)

// word is what an operator vouches for beyond the reason.
type word struct{ despite []int64 }

// DespitePID is the operator's word that the process with this pid only has a copy of the environment, and is nothing of the
// invocation: that it carries the mark is then no objection. It goes into the audit.
func DespitePID(pid int64) RetireOption { return func(w *word) { w.despite = append(w.despite, pid) } }

// Retire removes one lease on an operator's word that nothing of its invocation runs any more, where no proof of that can be
// had: the word is about exactly the bytes that digest names. The lease is judged, and judged again from scratch under catalogue
// lock and liveness lock; then the word is written to AuditLog, durably, and the lease removed. The Inspection is what the word
// was about.
//
// A *DecisionError refuses it, and nothing was written. ErrInUse: the liveness lock is held, the owner or the host is alive,
// somebody is in the boundary, or a process carries the mark that no DespitePID names; each is enough, from whatever namespace it
// is seen. ErrOtherDigest. ErrNotForThis for what is proved gone (Repair clears it) or is no lease (Quarantine). Others:
// ErrReadOnly, ErrInvalid (a reason that cannot be written down; ErrNoReason), ErrNotExist, ErrUnsettled where it is not known
// whether it is gone for good.
func (r *Registry) Retire(ctx context.Context, id string, digest persist.Digest, reason string, opts ...RetireOption) (Inspection, error) {
	var w word
	for _, o := range opts {
		o(&w)
	}
	var left error
	return r.decide(ctx, id, digest, reason, decision{leasefile.AuditActionRetire, w.note(), w.mayRetire,
		func(i Inspection) (err error) { left, err = r.makeRoom(i); return err },
		func(ctx context.Context, i Inspection) (func(context.Context) error, error) {
			return r.removeRecord(ctx, i, left)
		}})
}

// note is what the audit keeps beside the reason.
func (w word) note() (note string) {
	for _, pid := range w.despite {
		note += fmt.Sprintf(" (despite pid %d)", pid)
	}
	return note
}

func (w word) mayRetire(i Inspection) *objection {
	switch {
	case i.Lease == nil:
		return &objection{ErrNotForThis, "it is no lease of a known version"}
	case i.Verdict.Removable:
		return &objection{ErrNotForThis, "it is proved gone, and needs nobody's word"}
	}
	if o := atWork(i); o != nil {
		return o
	}
	for _, c := range i.Life.Carriers {
		if !slices.Contains(w.despite, c.PID) {
			return &objection{ErrInUse, "alive: " + i.Life.String()}
		}
	}
	return nil
}

// makeRoom removes the remains of the boundary, which the kernel refuses as long as somebody is in it.
func (r *Registry) makeRoom(i Inspection) (left, err error) {
	if left, err = i.dissolve(); err != nil {
		err = &DecisionError{Action: leasefile.AuditActionRetire, Lease: i, Err: ErrInUse, Why: err.Error()}
	}
	return left, err
}

func (r *Registry) removeRecord(ctx context.Context, i Inspection, left error) (func(context.Context) error, error) {
	w, err := r.store.Remove(ctx, i.ID, i.Digest)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { r.noteLeft(i.ID, left); return w.Settle(ctx) }, nil
}

// Quarantine moves one record that is no lease of a known version out of the way, to the home's quarantine/, where its bytes
// stay as they are: what is malformed, what has a foreign name, and a lease of a newer version, of which this program cannot
// tell whether it is at work. name is Inspection.ID; digest is Inspection.Digest, zero for what could not be read. It
// returns where the record is now, relative to the home. Locks, audit and errors are those of Retire; ErrInUse where the liveness
// lock is held, somebody is in the group that its owner noted, or carries the mark; ErrNotForThis for a lease that can be judged (Repair, Retire), or where the store is not the home's own.
func (r *Registry) Quarantine(ctx context.Context, name string, digest persist.Digest, reason string) (path string, err error) {
	_, err = r.decide(ctx, name, digest, reason, decision{leasefile.AuditActionQuarantine, "", r.mayQuarantine, nil,
		func(_ context.Context, i Inspection) (func(context.Context) error, error) {
			to, settle, err := r.home.Quarantine(i.ID)
			path = to
			return func(context.Context) error { return settle() }, err
		}})
	return path, err
}

func (r *Registry) mayQuarantine(i Inspection) *objection {
	own, ok := r.store.(*file.Store)
	switch {
	case !ok || own != r.home.Store():
		return &objection{ErrNotForThis, "the leases are not files of this home"}
	case i.Verdict.Outcome != verdict.Malformed && i.Verdict.Outcome != verdict.Newer:
		return &objection{ErrNotForThis, "it is a lease, and is judged like one"}
	case i.remains():
		return &objection{ErrInUse, "alive: " + i.Life.String()}
	case i.Foreign, i.Facts.Lock == verdict.LockFree, i.Facts.Lock == verdict.LockMissing:
		return nil
	case i.Facts.Lock == verdict.LockHeld:
		return &objection{ErrInUse, "somebody holds its liveness lock, so its owner is alive: wait for its end, or stop it"}
	}
	return &objection{ErrInUse, "its liveness lock cannot be probed, so its owner may be alive"}
}
