package lease

import (
	"context"
	"errors"
	"io/fs"

	"containlease/persist"
	"containlease/persist/file"
)

// Leftover is what an invocation left that is no lease any more: it blocks nobody, and no verdict rests on it.
type Leftover struct {
	Path   string // absolute
	Reason string // why it is still there
	Sweeps bool   // a sweep removes it (Sweep, and an acquire now and then); else somebody has to look why it cannot
}

// The reasons that no system gives.
const (
	notSwept   = "its lease is gone and its owner has ended; the next acquire may sweep it, and a doctor does"
	notProbed  = "its lease is gone, and whether its owner has ended cannot be told: "
	afterwards = " (once its owner has ended, it is yours to remove)"
	byHand     = " (nothing needs it: it is yours to remove)"

	litterReason = "an empty control group of a run that was killed; no lease of this home stands for it, " +
		"and a doctor removes it"
	notCleared = "an empty control group of a run that was killed, which a later doctor tries again to remove: "
)

// Leftovers lists what lies beside no lease in the home, as far as its owner is not known to be alive. It takes no lock and writes
// nothing in the home. Of control groups it shows those of killed runs in all of the hierarchy that is
// mounted, as far as they are the caller's and no lease stands for them, of this home or of the one that is
// written on the group.
func (r *Registry) Leftovers(ctx context.Context) ([]Leftover, error) {
	return r.leftovers(ctx, nil, false)
}

// Sweep removes what a sweep of acquire would remove, and returns what stays. ErrReadOnly, ErrOtherHome.
func (r *Registry) Sweep(ctx context.Context) ([]Leftover, error) {
	switch {
	case r.opt.readOnly:
		return nil, ErrReadOnly
	case !r.sameMachine():
		return nil, ErrOtherHome
	}
	var left *file.LeftoversError
	err := r.alone(ctx, func() error {
		keys, err := r.keys(ctx, func(persist.Entry) {})
		if err == nil {
			_, err = r.home.Sweep(ctx, keys)
		}
		return err
	})
	if err != nil && !errors.As(err, &left) {
		return nil, err
	}
	return r.leftovers(ctx, left, true)
}

// leftovers joins what lies there with why a sweep could not remove it.
func (r *Registry) leftovers(ctx context.Context, swept *file.LeftoversError, sweep bool) (out []Leftover, err error) {
	keys, err := r.keys(ctx, func(persist.Entry) {})
	if err != nil {
		return nil, err
	}
	found, err := r.home.Leftovers(ctx, keys)
	for _, f := range found {
		l := Leftover{Path: f.Path, Reason: notSwept, Sweeps: true}
		if f.Err != nil {
			l.Reason, l.Sweeps = notProbed+f.Err.Error()+afterwards, false
		} else if why := about(swept, f.Path); why != nil {
			l.Reason, l.Sweeps = why.Error()+byHand, false
		}
		out = append(out, l)
	}
	if err == nil {
		out = r.litterLeft(ctx, out, sweep)
	}
	return out, err
}

// about is what a sweep met at a path; nil where it met nothing.
func about(swept *file.LeftoversError, path string) error {
	if swept == nil {
		return nil
	}
	for _, err := range swept.Errs {
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == path {
			return err
		}
	}
	return nil
}
