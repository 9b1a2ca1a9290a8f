package lease_test

import (
	"context"
	"errors"
	"sync"

	"containlease/persist"
)

// fault is what happens to one write.
type fault string

const (
	none        fault = ""
	stageFails  fault = "staging fails"
	notDone     fault = "the publication fails"
	changed     fault = "refused as changed"
	lostLanded  fault = "landed, reply lost"
	lostForever fault = "not landed, reply lost"
	landsLate   fault = "lands late, reply lost"
	notDurable  fault = "visible, directory sync fails"
	panics      fault = "the store panics"
)

var faults = []fault{none, stageFails, notDone, changed, lostLanded, lostForever, landsLate, notDurable, panics}

var errDisk = errors.New("input/output error")

// faulty is a store whose next writes go as scripted.
type faulty struct {
	persist.Store
	syncer persist.Syncer

	mu     sync.Mutex
	script []fault
	late   []persist.Attempt // on their way: each lands if its condition still holds
	done   []string          // the steps that were asked for
	blind  error             // what Read says instead

	// Called in the step of that name, by the goroutine that makes it.
	during map[string]func(ctx context.Context)
}

// next sets what happens to the writes to come, one each.
func (f *faulty) next(script ...fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = script
}

func (f *faulty) pop() fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.script) == 0 {
		return none
	}
	first := f.script[0]
	f.script = f.script[1:]
	return first
}

func (f *faulty) note(ctx context.Context, step string) {
	f.mu.Lock()
	f.done = append(f.done, step)
	do := f.during[step]
	f.mu.Unlock()
	if do != nil {
		do(ctx)
	}
}

// on has do called in a step; nil for nothing.
func (f *faulty) on(step string, do func(ctx context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.during = map[string]func(context.Context){step: do}
}

// steps returns and forgets what was asked for.
func (f *faulty) steps() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.done
	f.done = nil
	return s
}

// arrive lets the late writes land.
func (f *faulty) arrive() {
	f.mu.Lock()
	late := f.late
	f.late = nil
	f.mu.Unlock()
	for _, a := range late {
		_ = a.Do(context.Background(), f.Store, nil)
	}
}

func (f *faulty) see(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blind = err
}

func (f *faulty) Read(ctx context.Context, key string) (persist.Entry, error) {
	f.mu.Lock()
	blind := f.blind
	f.mu.Unlock()
	if blind != nil {
		return persist.Entry{}, blind
	}
	f.note(ctx, "read")
	return f.Store.Read(ctx, key)
}

func (f *faulty) Sync(ctx context.Context, key string) error {
	f.note(ctx, "sync")
	if f.pop() == notDurable {
		return persist.ErrNotDurable
	}
	return f.syncer.Sync(ctx, key)
}

func (f *faulty) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	f.note(ctx, "stage")
	w := &faultyWrite{f: f, fault: f.pop(), attempt: persist.Attempt{Key: key, Next: content}}
	if w.fault == stageFails {
		return nil, errDisk
	}
	var err error
	w.Write, err = f.Store.Stage(ctx, key, content)
	return w, err
}

func (f *faulty) Remove(ctx context.Context, key string, old persist.Digest) (persist.Write, error) {
	f.note(ctx, "remove")
	w := &faultyWrite{f: f, fault: f.pop(), attempt: persist.Attempt{Key: key, Op: persist.Remove, Old: old}}
	err := w.publish(ctx, func() (err error) { w.Write, err = f.Store.Remove(ctx, key, old); return err })
	if err != nil {
		return nil, err
	}
	return w, nil
}

type faultyWrite struct {
	persist.Write
	f       *faulty
	fault   fault
	attempt persist.Attempt
}

func (w *faultyWrite) Create(ctx context.Context) error {
	w.f.note(ctx, "create")
	w.attempt.Op = persist.Create
	return w.publish(ctx, func() error { return w.Write.Create(ctx) })
}

func (w *faultyWrite) Replace(ctx context.Context, old persist.Digest) error {
	w.f.note(ctx, "replace")
	w.attempt.Op, w.attempt.Old = persist.Replace, old
	return w.publish(ctx, func() error { return w.Write.Replace(ctx, old) })
}

// publish makes or fakes the publication.
func (w *faultyWrite) publish(ctx context.Context, do func() error) error {
	switch w.fault {
	case panics:
		panic(errDisk)
	case notDone, stageFails: // a removal is not staged
		return errDisk
	case changed:
		if w.attempt.Op == persist.Create {
			return persist.ErrExists
		}
		return persist.ErrChanged
	case lostForever:
		return persist.ErrUnsettled
	case landsLate:
		w.f.mu.Lock()
		defer w.f.mu.Unlock()
		w.f.late = append(w.f.late, w.attempt)
		return persist.ErrUnsettled
	}
	if err := do(); err != nil {
		return err
	}
	if w.fault == lostLanded {
		_ = w.Write.Settle(ctx)
		return persist.ErrUnsettled
	}
	return nil
}

func (w *faultyWrite) Settle(ctx context.Context) error {
	w.f.note(ctx, "settle")
	if err := w.Write.Settle(ctx); err != nil {
		return err
	}
	if w.fault == notDurable {
		return persist.ErrNotDurable
	}
	return nil
}
