package lease

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"containlease/lease/cgroup"
	"containlease/persist"
	"containlease/persist/file"
)

// mostCleared bounds what one acquire removes for others; what is more is the next one's, or the
// doctor's.
const mostCleared = 100

// litter finds the control groups of runs that were killed, as far as no lease of this home stands for
// them: of a lease that exists, the doctor removes the group with the lease.
func (r *Registry) litter(ctx context.Context, s cgroup.Scope) (found []cgroup.Place, err error) {
	if r.opt.litter == nil {
		return nil, nil
	}
	all, err := r.opt.litter(ctx, s)
	for _, p := range all {
		if r.standsForNone(ctx, p) {
			found = append(found, p)
		}
	}
	if errors.Is(err, cgroup.ErrUnavailable) { // then nothing was made there either
		err = nil
	}
	return found, err
}

// standsForNone: there is no lease that the group was made for, and nobody is about to make or remove
// it. A group whose lease nobody can tell of stays.
func (r *Registry) standsForNone(ctx context.Context, p cgroup.Place) bool {
	id := p.Lease()
	if id == "" {
		return true
	}
	if _, err := r.store.Read(ctx, id); !errors.Is(err, persist.ErrNotExist) {
		return false
	}
	holding, err := r.home.Probe(id)
	return err == nil && holding != file.Held
}

// standsElsewhere: another home has a lease for the group, and its doctor shows it. That its own group
// is cleared by another home's takes nothing from a lease: gone is as good a proof as empty.
func (r *Registry) standsElsewhere(p cgroup.Place) bool {
	home, id := cgroup.HomeOf(p), p.Lease()
	if home == "" || id == "" || home == r.home.Dir() {
		return false
	}
	for _, name := range []string{"leases/" + id + ".json", "owners/" + id + ".lock"} {
		if _, err := os.Lstat(filepath.Join(home, name)); err == nil {
			return true
		}
	}
	return false
}

// clearLitter removes at most so many groups, and returns those that it could not remove, and why.
func (r *Registry) clearLitter(ctx context.Context, s cgroup.Scope, most int) (left []Leftover, err error) {
	found, err := r.litter(ctx, s)
	for _, p := range found[:min(most, len(found))] {
		if ctx.Err() != nil {
			return left, errors.Join(err, ctx.Err())
		}
		if _, cerr := cgroup.Clear(p); cerr != nil {
			left = append(left, Leftover{Path: p.Path, Reason: notCleared + cerr.Error()})
		}
	}
	return left, err
}

// tidy clears the caller's own group once for each registry, after its first acquire: a program that is
// killed in its first moments leaves a group there, and nothing on record. No lock is held.
func (r *Registry) tidy(ctx context.Context) {
	r.tidied.Do(func() {
		left, err := r.clearLitter(ctx, cgroup.InOwn, mostCleared)
		for _, l := range left {
			err = errors.Join(err, errors.New(l.Path+": "+l.Reason))
		}
		if err != nil && ctx.Err() == nil {
			r.tell(Observation{Kind: Noted, Detail: "control groups of crashed runs are left behind", Err: err})
		}
	})
}

// litterLeft joins to left the groups that a sweep could not remove, or would remove.
func (r *Registry) litterLeft(ctx context.Context, left []Leftover, swept bool) []Leftover {
	groups, err := r.sweepOrShow(ctx, swept)
	if err != nil {
		r.tell(Observation{Kind: Noted, Err: err,
			Detail: "whether crashed runs left control groups could not be told everywhere: " + err.Error()})
	}
	return append(left, groups...)
}

func (r *Registry) sweepOrShow(ctx context.Context, sweep bool) (left []Leftover, err error) {
	if sweep {
		return r.clearLitter(ctx, cgroup.Everywhere, int(^uint(0)>>1))
	}
	found, err := r.litter(ctx, cgroup.Everywhere)
	for _, p := range found {
		if r.standsElsewhere(p) {
			continue
		}
		left = append(left, Leftover{Path: p.Path, Reason: litterReason, Sweeps: true})
	}
	return left, err
}
