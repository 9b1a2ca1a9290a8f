package lease

import (
	"context"
	"errors"
	"fmt"

	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// RepairOptions chooses what Repair looks at, and whether it acts.
type RepairOptions struct {
	Plugin string       // only leases of this plugin; "" for all
	Lease  string       // only this lease; "" for all
	Mode   verdict.Mode // how far removals go; "" is verdict.Recover
	Apply  bool         // remove what is provably gone; without it nothing at all is written
}

// Repaired is one lease as Repair found it and left it.
type Repaired struct {
	Inspection
	Removable bool      // the plan: it is provably gone
	Removed   bool      // and was removed
	Err       error     // why a planned removal was not made; the verdict then stands
	Left      *Leftover // the empty control group that it could not remove with the lease, or nil
}

// Repair plans what a doctor may remove, and with Apply removes it: each lease is judged again from scratch under the catalogue
// lock and its own liveness lock, and goes only if its bytes are still those judged. A removal that fails is an Err of
// its row; the others go on. Each removal has its line in AuditLog. The error is of the listing itself.
func (r *Registry) Repair(ctx context.Context, o RepairOptions) ([]Repaired, error) {
	if o.Mode == "" {
		o.Mode = verdict.Recover
	}
	if o.Apply && r.opt.readOnly {
		return nil, fmt.Errorf("%w: %s", ErrReadOnly, r.home.Dir())
	}
	if o.Apply && !r.sameMachine() {
		return nil, fmt.Errorf("%w: %s: nothing may be removed here", ErrOtherHome, r.home.Dir())
	}
	var out []Repaired
	for i, err := range r.List(ctx) {
		if err != nil {
			return out, err
		}
		if i.Foreign && (o.Plugin != "" || o.Lease != "") || o.Plugin != "" && i.Plugin != o.Plugin || o.Lease != "" && i.ID != o.Lease {
			continue
		}
		row := Repaired{Inspection: i, Removable: i.Verdict.Removes(o.Mode, i.Facts)}
		if row.Removable && o.Apply {
			var left error
			row.Removed, left, row.Err = r.clear(ctx, i, o.Mode)
			if left != nil {
				row.Left = &Leftover{Path: i.Evidence.Boundary.Path, Reason: notCleared + left.Error()}
			}
			if row.Removed {
				r.auditRemoval(ctx, i)
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// clear removes one lease that was judged removable. false without an error: it is no longer so, or no longer there. left is why its
// empty control group remains.
func (r *Registry) clear(ctx context.Context, i Inspection, m verdict.Mode) (removed bool, left, err error) {
	var out removal
	err = r.alone(ctx, func() (err error) {
		out, err = r.removeLocked(ctx, i, m)
		if out.write == nil && out.held != nil {
			// Let go before the catalogue lock: an acquirer that cannot judge the owner takes a held lock for its life.
			err, out.held = errors.Join(err, out.held.Close()), nil
		}
		return err
	})
	if out.write != nil {
		err = errors.Join(err, out.write.Settle(context.WithoutCancel(ctx)))
	}
	removed = out.write != nil && err == nil
	r.noteLeft(i.ID, out.left)
	if removed {
		r.tell(Observation{Kind: Removed, Lease: i.ID, Plugin: i.Plugin, From: i.State, Detail: i.Verdict.Rule})
	}
	switch {
	case out.held == nil: // not removed, or another program's lease, which has no lock; other files of it are left for a sweep
		return removed, out.left, err
	case removed:
		return true, out.left, out.held.Retire()
	}
	return false, out.left, errors.Join(err, out.held.Close())
}

// removal is how far the removal of a lease came.
type removal struct {
	held  *file.Liveness
	write persist.Write
	left  error // why the boundary's remains could not be removed
}

// alone runs do under the exclusive catalogue lock, for a goroutine that is in no transition.
func (r *Registry) alone(ctx context.Context, do func() error) error {
	leave, err := r.working.enter()
	if err != nil {
		return err
	}
	defer leave()
	return r.locked(ctx, file.Exclusive)(do)
}

// removeLocked holds the catalogue lock already: it takes the liveness lock, judges again and publishes the removal.
func (r *Registry) removeLocked(ctx context.Context, i Inspection, m verdict.Mode) (out removal, err error) {
	out.held, err = r.home.Seize(i.ID)
	free := probe(func(string) (file.Holding, error) { return file.Free, nil })
	switch {
	case errors.Is(err, file.ErrHeld):
		return out, nil
	case errors.Is(err, persist.ErrNotExist):
		free = r.home.Probe
	case err != nil:
		return out, err
	}
	e, err := r.store.Read(ctx, i.ID)
	if err != nil {
		return out, unlessAbsent(err)
	}
	again := r.inspect(r.look(), e, free)
	if again.Digest != i.Digest || !again.Verdict.Removes(m, again.Facts) {
		return out, nil
	}
	if out.left, err = again.dissolve(); err != nil {
		return out, err
	}
	out.write, err = r.store.Remove(ctx, i.ID, again.Digest)
	return out, err
}
