package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"containlease/persist/internal/disk"
)

// Home is a state home, held open. Its methods may run beside each other, in one process and in many; Close may not.
type Home struct {
	sys                                        system
	ground                                     filesystem
	root, leases, owners, plugins, quarantined *dir
	store                                      *Store
	turns                                      turnstile
	swept                                      atomic.Bool // leases/ too, once

	mu     sync.Mutex
	idle   lockFile // holds no lock; its fd is -1 while there is none
	closed bool
}

// Option changes how a home is opened.
type Option func(*options)

type options struct {
	anyFilesystem bool
	sys           system
}

// AllowAnyFilesystem lets Create accept a file system that is not known to keep locks and synced writes, such as a
// network file system. There a free lock proves nothing.
func AllowAnyFilesystem() Option { return func(o *options) { o.anyFilesystem = true } }

// On has the home live on d, a process of a persist/memory disk, in place of the operating system's files: for tests of
// what crashes and faults leave. Its paths are absolute paths of that disk.
func On(d disk.System) Option { return func(o *options) { o.sys = d } }

func optionsOf(opts []Option) (o options, err error) {
	for _, opt := range opts {
		opt(&o)
	}
	if o.sys == nil {
		o.sys, err = newSystem()
	}
	return o, err
}

// Open opens the home in dir and creates nothing, neither now nor later unless a writing method is called.
// ErrNoHome: there is none, or its creation was never completed, so that nothing was ever recorded in it. *UnsafeError:
// it is refused. ErrUnsupported. The caller closes the home.
func Open(dir string, opts ...Option) (*Home, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the state home %q: %w", dir, err)
	}
	return openHome(o.sys, path)
}

func openHome(sys system, path string) (*Home, error) {
	h := &Home{sys: sys, idle: lockFile{fd: -1}}
	opened := false
	defer func() {
		if !opened {
			_ = h.Close()
		}
	}()
	var err error
	if h.root, err = openDir(sys, path); err != nil {
		return nil, noHome(path, err)
	}
	if h.ground, err = sys.Filesystem(h.root.fd); err != nil {
		return nil, h.root.failed("statfs", ".", err)
	}
	// leases/ is made last: without it nothing was ever recorded here.
	if h.leases, err = openDir(sys, h.root.join(leasesDir)); err != nil {
		return nil, noHome(path, err)
	}
	for name, d := range map[string]**dir{ownersDir: &h.owners, pluginsDir: &h.plugins, quarantineDir: &h.quarantined} {
		if *d, err = openDir(sys, h.root.join(name)); errors.Is(err, fs.ErrNotExist) {
			return nil, &UnsafeError{h.root.join(name), "it is missing beside " + leasesDir, "mkdir -m 0700 " + shellQuote(h.root.join(name))}
		} else if err != nil {
			return nil, err
		}
	}
	h.store = newStore(h.leases, h.ground.Overwrites)
	opened = true
	return h, nil
}

func noHome(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s: %w", ErrNoHome, path, err)
	}
	return err
}

// Close lets go of the home. Locks and liveness that are held stay held.
func (h *Home) Close() error {
	var errs []error
	if h.store != nil {
		h.store.close()
	}
	for _, d := range []*dir{h.root, h.leases, h.owners, h.plugins, h.quarantined} {
		if d != nil && d.fd >= 0 {
			errs = append(errs, d.close())
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.idle.fd >= 0 {
		errs = append(errs, h.sys.Close(h.idle.fd))
		h.idle.fd = -1
	}
	return errors.Join(errs...)
}

// Dir returns the absolute path of the home.
func (h *Home) Dir() string { return h.root.path }

// Inode returns the inode number of the home's directory: another number, another copy of the home.
func (h *Home) Inode() uint64 { return h.root.id.Ino }

// Store returns the store of the leases. It lives as long as the home.
func (h *Home) Store() *Store { return h.store }
