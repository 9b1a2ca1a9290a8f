package memory

import (
	"syscall"

	"containlease/persist/internal/disk"
)

// lockable is the locks on one file. Both kinds belong to an open file description, and know nothing of each other.
type lockable struct {
	flocks map[*handle]disk.Locking
	owner  *handle
}

func (l *lockable) letGo(h *handle) {
	delete(l.flocks, h)
	if l.owner == h {
		l.owner = nil
	}
}

// Flock takes, changes or gives back the flock of a descriptor.
func (p *Process) Flock(fd int, how disk.Locking) error {
	return p.on("Flock", fd, func(h *handle) error {
		l := &h.n.locks
		if how == disk.Unlock {
			delete(l.flocks, h)
			return nil
		}
		for other, has := range l.flocks {
			if other != h && (how == disk.LockExclusive || has == disk.LockExclusive) {
				return disk.ErrBusy
			}
		}
		if l.flocks == nil {
			l.flocks = map[*handle]disk.Locking{}
		}
		l.flocks[h] = how
		return nil
	})
}

// Own takes the liveness lock, by a descriptor that may write.
func (p *Process) Own(fd int) error {
	return p.on("Own", fd, func(h *handle) error {
		l := &h.n.locks
		switch {
		case h.access == disk.Reading:
			return syscall.EBADF
		case l.owner != nil && l.owner != h:
			return disk.ErrBusy
		}
		l.owner = h
		return nil
	})
}

// Disown gives the liveness lock back.
func (p *Process) Disown(fd int) error {
	return p.on("Disown", fd, func(h *handle) error {
		if l := &h.n.locks; l.owner == h {
			l.owner = nil
		}
		return nil
	})
}

// Owned asks whether another descriptor has the liveness lock.
func (p *Process) Owned(fd int) (held bool, err error) {
	err = p.on("Owned", fd, func(h *handle) error {
		held = h.n.locks.owner != nil && h.n.locks.owner != h
		return nil
	})
	return held, err
}
