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
	trustParents  bool
	sys           system
}

// AllowAnyFilesystem lets Create accept a file system that is not known to keep locks and synced writes, such as a
// network file system. There a free lock proves nothing.
func AllowAnyFilesystem() Option { return func(o *options) { o.anyFilesystem = true } }

// TrustParents is the caller's word that nobody else puts another home in this one's place, though a directory above it, or
// a link on the way there, is another user's or may be written to by others. Without it such a home is refused with
// ParentMode or ParentOwner: leases of what still runs could be moved out of sight.
func TrustParents() Option { return func(o *options) { o.trustParents = true } }

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
// it, or a directory above it, is refused. ErrUnsupported. The caller closes the home.
func Open(dir string, opts ...Option) (*Home, error) {
	o, err := optionsOf(opts)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the state home %q: %w", dir, err)
	}
	if err := isHome(o.sys, path); err != nil {
		return nil, err
	}
	return o.open(path)
}

// open opens what was seen to be a home.
func (o options) open(path string) (*Home, error) {
	if err := o.checkParents(path); err != nil {
		return nil, err
	}
	h := &Home{sys: o.sys, idle: lockFile{fd: -1}}
	if err := h.openAll(path); err != nil {
		_ = h.Close()
		return nil, err
	}
	h.store = newStore(h.leases, h.ground.Overwrites)
	return h, nil
}

func (h *Home) openAll(path string) (err error) {
	if h.root, err = openDir(h.sys, path); err != nil {
		return unlessAbsent(path, err)
	}
	if h.ground, err = h.sys.Filesystem(h.root.fd); err != nil {
		return h.root.failed("statfs", ".", err)
	}
	parts := []struct {
		name string
		d    **dir
	}{{leasesDir, &h.leases}, {ownersDir, &h.owners}, {pluginsDir, &h.plugins}, {quarantineDir, &h.quarantined}}
	for _, part := range parts {
		*part.d, err = openDir(h.sys, h.root.join(part.name))
		if errors.Is(err, fs.ErrNotExist) {
			err = h.partMissing(part.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partMissing: leases/ is made last, and the lock file after it. A home with neither was never completed, so nothing was ever
// recorded in it; whatever else is missing, somebody took away.
func (h *Home) partMissing(name string) error {
	if _, err := h.sys.Lstat(h.root.fd, lockName); name == leasesDir && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w in %s: it was never completed: %w", ErrNoHome, h.root.path, err)
	}
	return &UnsafeError{Path: h.root.join(name), Flaw: PartMissing, Wanted: Look{Mode: fs.ModeDir | 0o700, UID: h.root.me}}
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

// Born returns when the home's directory was made, in nanoseconds since 1970, by the clock of its file system: another time,
// another copy of the home. Unlike the inode number it stays on every file system that tells it; 0 where it is not told.
func (h *Home) Born() (int64, error) {
	born, err := h.sys.Born(h.root.fd)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return 0, nil
	case err != nil:
		return 0, h.root.failed("statx", ".", err)
	}
	return born, nil
}

// Store returns the store of the leases. It lives as long as the home.
func (h *Home) Store() *Store { return h.store }
