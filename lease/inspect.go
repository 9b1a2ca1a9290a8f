package lease

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// Inspection is one record of a home as found, judged. It is what acquire decides by, and what list, show and doctor
// print.
type Inspection struct {
	ID     string          // the lease's id, or the stored name of what is no lease
	Plugin string          // "" where it cannot be read
	State  fsm.State       // "" for a v1 lease and for what is no lease
	Lease  leasefile.Lease // nil for what is no lease of a known version
	Digest persist.Digest  // of the bytes judged; zero where they could not be read

	Facts    verdict.Facts // meaningful where Lease is not nil
	Words    []string      // the facts about owner and host, for people
	Verdict  verdict.Verdict
	Life     Life  // who of it is seen alive
	Next     Next  // what to do next
	Problem  error // why it is no lease, or nil
	Foreign  bool  // a name that is not ours: reported, blocks nothing
	Evidence *leasefile.EvidenceV2
}

// word is the state as a person reads it.
func (i Inspection) word() string {
	if i.State == "" {
		return "v1"
	}
	return string(i.State)
}

// Block says why the lease's plugin may not start beside it; "" admits.
func (i Inspection) Block() verdict.Block { return i.Verdict.Admit(i.State) }

// List yields every record of the home, judged, in the order of its names. It takes the catalogue lock for the listing of the
// names only, and goes without it where the home has none that may be opened. The sequence's error ends it.
func (r *Registry) List(ctx context.Context) iter.Seq2[Inspection, error] {
	return func(yield func(Inspection, error) bool) {
		v := r.look()
		unlock, err := r.lockNames(ctx)
		if err != nil {
			yield(Inspection{}, err)
			return
		}
		defer unlock()
		for e, err := range r.store.List(ctx) {
			unlock() // with the first entry all names are known
			if err != nil {
				yield(Inspection{}, err)
				return
			}
			i, there := r.examine(ctx, v, e, r.home.Probe)
			if there && !yield(i, nil) {
				return
			}
		}
	}
}

// lockNames takes the catalogue lock for a listing, which can otherwise miss a name that is being exchanged at that moment. A home
// whose lock may not be opened is listed without it. unlock may be repeated.
func (r *Registry) lockNames(ctx context.Context) (unlock func(), err error) {
	leave, err := r.working.enter()
	if err != nil {
		return nil, err
	}
	release, err := r.lock(ctx, file.Exclusive)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		leave()
		return nil, ctx.Err()
	default:
		release = func() {}
	}
	return sync.OnceFunc(func() { release(); leave() }), nil
}

// Inspect returns one lease, judged. ErrNotExist where there is none.
func (r *Registry) Inspect(ctx context.Context, id string) (Inspection, error) {
	e, err := r.read(ctx, id)
	if err != nil {
		return Inspection{}, err
	}
	i, there := r.examine(ctx, r.look(), e, r.home.Probe)
	if !there {
		return Inspection{}, fmt.Errorf("lease %s: %w", id, persist.ErrNotExist)
	}
	return i, nil
}

// read is Store.Read with a bad record as an entry.
func (r *Registry) read(ctx context.Context, id string) (persist.Entry, error) {
	e, err := r.store.Read(ctx, id)
	var bad *persist.RecordError
	if errors.As(err, &bad) {
		return persist.Entry{Key: id, Err: bad}, nil
	}
	return e, err
}

// examine judges a record, and again if it moved meanwhile: a release takes the lock away under a look that has read the lease. Only
// an owner who holds its lock needs no second look. there is false if it is gone by now.
func (r *Registry) examine(ctx context.Context, v view, e persist.Entry, probe probe) (i Inspection, there bool) {
	for range 8 {
		i = r.inspect(v, e, probe)
		if i.Lease == nil || i.Verdict.Outcome == verdict.Active && i.Facts.Lock == verdict.LockHeld {
			return i, true
		}
		again, err := r.read(ctx, e.Key)
		if errors.Is(err, persist.ErrNotExist) {
			return Inspection{}, false
		}
		if err != nil || again.Digest == e.Digest {
			return i, true
		}
		e = again
	}
	return i, true
}

// inspect is the one way from bytes to a verdict.
func (r *Registry) inspect(v view, e persist.Entry, probe probe) Inspection {
	i := Inspection{ID: e.Key, Digest: e.Digest}
	var bad *persist.RecordError
	if errors.As(e.Err, &bad) && bad.Kind == persist.ForeignName {
		i.Foreign = true
	}
	l, err := decode(e)
	switch {
	case err == nil:
		i.Lease, i.Plugin = l, l.Operation().PluginID
		r.judge(v, &i, probe)
	default:
		i.Problem = err
		i.Plugin, i.Verdict = unreadable(e, err)
		r.lookBehind(v, &i)
	}
	i.advise()
	return i
}

// decode takes the file level: exactly the canonical bytes, under the lease's own name.
func decode(e persist.Entry) (leasefile.Lease, error) {
	if e.Err != nil {
		return nil, e.Err
	}
	return leasefile.DecodeFileNamed(e.Key+".json", e.Content)
}

// unreadable tells a lease of a newer version, which blocks its own plugin, from what is no lease.
func unreadable(e persist.Entry, err error) (plugin string, v verdict.Verdict) {
	if id, version, ok := leasefile.PeekPluginID(e.Content); ok {
		return id, verdict.OfNewer(fmt.Sprintf("schemaVersion %d is newer than this program knows", version))
	}
	return "", verdict.OfMalformed(err.Error())
}
