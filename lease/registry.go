package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"containlease/persist"
	"containlease/persist/file"
)

// Registry is the leases of one home. Safe for concurrent use.
type Registry struct {
	home  *file.Home
	store persist.Store
	opt   options

	working working // goroutines inside a transition or under the catalogue lock

	// met holds the plugin of each lease that an acquire has read healthy: a lease id never changes its plugin, so the next
	// one need not read it again. unswept is how many acquires may still go without a sweep, negative before the first. Only
	// whoever holds the catalogue lock exclusively touches them.
	met     map[string]string
	unswept int

	tidied sync.Once // the caller's own control group

	mu      sync.Mutex
	handles map[string]*Handle // acquired here and not yet released or closed
}

// Open opens the home in dir with its leases as files in it, making what is missing unless ReadOnly is given.
// Errors: file.ErrNoHome, file.ErrUnsafe, file.ErrFilesystem, ErrOtherHome.
func Open(ctx context.Context, dir string, opts ...Option) (*Registry, error) {
	o := newOptions(opts)
	open := file.Create
	if o.readOnly {
		open = file.Open
	}
	home, err := open(dir, o.home...)
	if err != nil {
		return nil, err
	}
	r, err := New(home.Store(), home, opts...)
	if err != nil {
		return nil, errors.Join(err, home.Close())
	}
	return r, nil
}

// New returns the registry of any store. What is local by nature (locks, evidence, the machine's record) stays in
// home, which the registry takes over.
func New(store persist.Store, home *file.Home, opts ...Option) (*Registry, error) {
	r := &Registry{home: home, store: store, opt: newOptions(opts), handles: map[string]*Handle{}, met: map[string]string{}, unswept: -1}
	r.working.strangers = r.opt.strangers || store != persist.Store(home.Store())
	if r.opt.readOnly {
		return r, nil
	}
	if err := r.settleIn(); err != nil {
		return nil, err
	}
	return r, nil
}

// Close lets go of the home's descriptors. Handles stay as they are.
func (r *Registry) Close() error { return r.home.Close() }

// Dir returns the home's directory.
func (r *Registry) Dir() string { return r.home.Dir() }

// Handle returns the handle by which this registry drives lease id. ErrLegacy: a v1 lease has none; ErrNotOurs: it belongs to
// another owner, who alone may move it; ErrNotExist; ErrInvalid: it is no lease.
func (r *Registry) Handle(ctx context.Context, id string) (*Handle, error) {
	r.mu.Lock()
	h := r.handles[id]
	r.mu.Unlock()
	if h != nil {
		return h, nil
	}
	e, err := r.read(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("lease %s: %w", id, err)
	}
	l, err := decode(e)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: lease %s: %w", ErrInvalid, id, err)
	case l.Version() == 1:
		return nil, fmt.Errorf("lease %s: %w", id, ErrLegacy)
	}
	return nil, fmt.Errorf("lease %s: %w", id, ErrNotOurs)
}

// know keeps h for Handle, or forgets it.
func (r *Registry) know(h *Handle, alive bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if alive {
		r.handles[h.id] = h
	} else {
		delete(r.handles, h.id)
	}
}

// locked is persist.Publish under the catalogue lock in mode m.
func (r *Registry) locked(ctx context.Context, m file.Mode) persist.Publish {
	return func(publish func() error) error {
		unlock, err := r.lock(ctx, m)
		if err != nil {
			return err
		}
		defer unlock() // also if the store panics
		return publish()
	}
}

// lock takes the catalogue lock. Waiting ends with ctx and is told once. The lock is gone after unlock whatever the system
// says to it, so a failure there is no failure of what was published.
func (r *Registry) lock(ctx context.Context, m file.Mode) (unlock func(), err error) {
	start := r.opt.clock()
	waited := false
	lock, err := r.home.Lock(ctx, m, func(w file.Wait) {
		waited = true
		r.working.call(func() { r.tell(Observation{Kind: Waiting, Detail: waitingFor(w)}) })
	})
	if err != nil {
		return nil, fmt.Errorf("catalogue lock of %s: %w", r.home.Dir(), err)
	}
	took := r.opt.clock().Sub(start)
	return func() {
		if err := lock.Unlock(); err != nil {
			r.working.call(func() { r.opt.log.Warn("catalogue lock given back", "error", err) })
		}
		if waited {
			r.working.call(func() { r.tell(Observation{Kind: Waited, Detail: "for the catalogue lock", Took: took}) })
		}
	}, nil
}

func waitingFor(w file.Wait) string {
	if w.PID == 0 {
		return "waiting for the catalogue lock"
	}
	return fmt.Sprintf("waiting for the catalogue lock, held by pid %d", w.PID)
}

// unlessAbsent turns "there is none" into nil.
func unlessAbsent(err error) error {
	if errors.Is(err, persist.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
