package lease

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"containlease/persist"
	"containlease/persist/file"
)

// ChangeKind is what happened to a record between two looks.
type ChangeKind string

// The kinds of changes. The set is closed and published.
const (
	ChangePresent  ChangeKind = "present"  // it was there when the watch began
	ChangeAppeared ChangeKind = "appeared" // it is new
	ChangeMoved    ChangeKind = "moved"    // its bytes or its verdict are others than before
	ChangeVanished ChangeKind = "vanished" // it is gone: released, removed or set aside
)

// Change is one thing that a watch saw.
type Change struct {
	Kind ChangeKind
	At   time.Time  // when it was seen; for people only
	Now  Inspection // as it is now; of what vanished as it was last seen
}

// watchPause is how often everything is looked at though no file has changed: the death of an owner, a host or a control
// group changes none.
const watchPause = 2 * time.Second

// Watch yields what is there and then every change of a lease or of its verdict, until ctx ends, which is no error, or the
// caller stops. It writes nothing and works on a home opened read-only. Two changes of one record that come faster than they
// are looked at are told as one; a change that no file tells of is seen within two seconds. The sequence's error ends it.
// Leases that a store keeps elsewhere are looked at every two seconds.
func (r *Registry) Watch(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		n, err := r.home.Notify() // before the first look, so that nothing falls between
		if err == nil {
			w := watch{r: r, seen: map[string]Inspection{}, yield: yield}
			err = errors.Join(w.follow(ctx, n), n.Close())
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errStopped) {
			yield(Change{}, err)
		}
	}
}

// errStopped: the caller of Watch wants no more.
var errStopped = errors.New("stopped")

// watch is one Watch under way.
type watch struct {
	r     *Registry
	seen  map[string]Inspection // by the name that List shows
	yield func(Change, error) bool
}

func (w *watch) follow(ctx context.Context, n *file.Notifier) error {
	if err := w.lookAtAll(ctx, ChangePresent); err != nil {
		return err
	}
	for last := time.Now(); ; {
		touched, err := n.Wait(ctx, watchPause)
		if err != nil {
			return err
		}
		if touched.All || time.Since(last) >= watchPause {
			err = w.lookAtAll(ctx, ChangeAppeared)
			last = time.Now()
		} else {
			err = w.lookAt(ctx, touched.Keys)
		}
		if err != nil {
			return err
		}
	}
}

// lookAtAll lists the home anew. What is new is told as fresh.
func (w *watch) lookAtAll(ctx context.Context, fresh ChangeKind) error {
	there := map[string]bool{}
	for i, err := range w.r.List(ctx) {
		if err != nil {
			return err
		}
		there[i.ID] = true
		if err := w.found(i, fresh); err != nil {
			return err
		}
	}
	var missing []string
	for id := range w.seen {
		if !there[id] {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	for _, id := range missing {
		if err := w.lost(id); err != nil {
			return err
		}
	}
	return nil
}

// lookAt looks at some records by name.
func (w *watch) lookAt(ctx context.Context, keys []string) error {
	for _, key := range keys {
		i, err := w.r.find(ctx, key, w.r.home.Probe)
		switch {
		case errors.Is(err, persist.ErrNotExist):
			err = w.lost(key)
		case err == nil:
			err = w.found(i, ChangeAppeared)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// found tells of a record that is new or not as it was.
func (w *watch) found(i Inspection, fresh ChangeKind) error {
	was, known := w.seen[i.ID]
	w.seen[i.ID] = i
	switch {
	case !known:
		return w.tell(fresh, i)
	case was.Digest != i.Digest, was.Verdict.Rule != i.Verdict.Rule, was.Verdict.Because != i.Verdict.Because,
		was.Verdict.Removable != i.Verdict.Removable:
		return w.tell(ChangeMoved, i)
	}
	return nil
}

func (w *watch) lost(id string) error {
	was, known := w.seen[id]
	if !known {
		return nil
	}
	delete(w.seen, id)
	return w.tell(ChangeVanished, was)
}

func (w *watch) tell(kind ChangeKind, i Inspection) error {
	if !w.yield(Change{Kind: kind, At: w.r.opt.clock(), Now: i}, nil) {
		return errStopped
	}
	return nil
}
