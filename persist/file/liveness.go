package file

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"time"

	"containlease/persist"
)

// Holding is what a probe of a liveness lock found.
type Holding int

// Free proves that the owner is gone only together with the rest of the verdict; Missing proves nothing.
const (
	Free Holding = iota + 1
	Held
	Missing
)

func (h Holding) String() string { return [...]string{"unknown", "free", "held", "missing"}[h] }

// Liveness is a liveness lock, held until Retire, Close or the end of the process. It may be used by several goroutines.
type Liveness struct {
	d  *dir
	id string

	mu    sync.Mutex
	fd    int // -1 once it was given back
	inode inode
}

// Claim makes owners/<id>.lock, born held: nobody ever sees it free before its owner ends. The caller holds the
// catalogue lock. persist.ErrExists: the id is taken.
func (h *Home) Claim(id string) (*Liveness, error) {
	if err := checkKey(id); err != nil {
		return nil, err
	}
	if err := h.owners.check(); err != nil {
		return nil, err
	}
	name := id + lockSuffix
	f, err := h.owners.newFile(name + nextSuffix)
	if err != nil {
		return nil, err
	}
	if err = h.sys.Own(f.fd); err == nil {
		err = f.appear(name)
	}
	if err != nil {
		_ = h.sys.Disown(f.fd)
		f.drop()
		if errors.Is(err, fs.ErrExist) {
			err = persist.ErrExists
		}
		return nil, fmt.Errorf("claiming the liveness lock of lease %s: %w", id, err)
	}
	return &Liveness{d: h.owners, id: id, fd: f.fd, inode: f.id}, nil
}

// seizeAttempts outlast the moment for which a probe holds the lock where it cannot ask without taking (not on Linux).
const seizeAttempts = 20

// Seize takes an existing liveness lock that is free, and never makes one. The caller holds the catalogue lock.
// ErrHeld, persist.ErrNotExist; *persist.RecordError where something else is in its place.
func (h *Home) Seize(id string) (*Liveness, error) {
	if err := checkKey(id); err != nil {
		return nil, err
	}
	name := id + lockSuffix
	fd, i, err := h.owners.openPrivate(name, writing)
	if err != nil {
		return nil, fmt.Errorf("opening the liveness lock of lease %s: %w", id, err)
	}
	l := &Liveness{d: h.owners, id: id, fd: fd, inode: i.Inode}
	for range seizeAttempts {
		if err = h.sys.Own(fd); !errors.Is(err, errBusy) || ownedAsks {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err == nil {
		// It may have been retired between open and lock: then this lock is on no path, and proves nothing.
		if err = l.Check(); err != nil {
			_ = h.sys.Disown(fd)
		}
	}
	if err == nil {
		return l, nil
	}
	_ = h.sys.Close(fd)
	switch {
	case errors.Is(err, errBusy):
		err = ErrHeld
	case errors.Is(err, ErrLivenessLost):
		err = persist.ErrNotExist
	}
	return nil, fmt.Errorf("seizing the liveness lock of lease %s: %w", id, err)
}

// Probe tells whether somebody holds the liveness lock of id, without taking it. An error means that it is not known.
func (h *Home) Probe(id string) (Holding, error) {
	if err := checkKey(id); err != nil {
		return 0, err
	}
	fd, _, err := h.owners.openPrivate(id+lockSuffix, reading)
	if errors.Is(err, persist.ErrNotExist) {
		return Missing, h.owners.check()
	}
	if err != nil {
		return 0, fmt.Errorf("probing the liveness lock of lease %s: %w", id, err)
	}
	defer h.sys.Close(fd)
	held, err := h.sys.Owned(fd)
	switch {
	case err != nil:
		return 0, fmt.Errorf("probing the liveness lock of lease %s: %w", id, err)
	case held:
		return Held, nil
	}
	return Free, nil
}

// Check makes sure that the lock file at the path still is the one that is held. ErrLivenessLost: it is not, or the
// lock was given back; any other error: it cannot be told.
func (l *Liveness) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.check()
}

func (l *Liveness) check() error {
	path := l.d.join(l.id + lockSuffix)
	if l.fd < 0 {
		return fmt.Errorf("%s: %w", path, ErrLivenessLost)
	}
	i, err := l.d.sys.Lstat(cwd, path)
	switch {
	case err == nil && i.Inode == l.inode:
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %w", path, ErrLivenessLost)
	}
	return &fs.PathError{Op: "look at", Path: path, Err: err}
}

// Retire ends the liveness of a lease that was removed: the owner's records, then the lock file, then the lock. The
// lock goes last, so whoever finds a part of this finds it held or finds the remains of a lease that is gone. The lock
// is given back also where an error is returned; what could not be removed is left to Sweep.
func (l *Liveness) Retire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fd < 0 {
		return nil
	}
	err := l.check()
	if err == nil {
		for _, suffix := range []string{recordSuffix, recordSuffix + nextSuffix, emptySuffix, emptySuffix + nextSuffix, lockSuffix} {
			err = errors.Join(err, l.d.unlink(l.id+suffix))
		}
	}
	return errors.Join(err, l.giveBack())
}

// Close gives the lock back and leaves the files. A second call does nothing.
func (l *Liveness) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.giveBack()
}

// giveBack unlocks before it closes: a child between fork and exec has the descriptor too.
func (l *Liveness) giveBack() error {
	if l.fd < 0 {
		return nil
	}
	fd := l.fd
	l.fd = -1
	return errors.Join(l.d.sys.Disown(fd), l.d.sys.Close(fd))
}
