package file

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"containlease/persist"
)

// Mode is how the catalogue lock is held.
type Mode int

// Many may hold the lock Shared, or one Exclusive.
const (
	Shared Mode = iota
	Exclusive
)

// The first pause is about as long as the lock is usually held, the longest one short enough for a person.
const (
	firstPause   = 50 * time.Microsecond
	longestPause = 10 * time.Millisecond
	noticeAfter  = 20 * time.Millisecond
)

// Wait is told to somebody who waits for the catalogue lock.
type Wait struct {
	Path string // of the lock file
	PID  int    // of a holder, in this process's PID namespace; 0 where the system does not tell
}

func (w Wait) String() string {
	if w.PID == 0 {
		return "waiting for another process, which holds " + w.Path
	}
	return fmt.Sprintf("waiting for process %d, which holds %s", w.PID, w.Path)
}

// Lock is the catalogue lock, held. It is used by one goroutine.
type Lock struct {
	h    *Home
	mode Mode
	file lockFile // its fd is -1 once it was given back
}

// Lock takes the catalogue lock, <home>/lock, and waits for it until ctx ends. waiting may be nil; it is called at most
// once, when the wait has become long enough to speak of (20 ms). Errors: the cause of ctx's end, ErrNoLockFile,
// *UnsafeError, ErrHomeReplaced; whatever the system refuses fails at once.
func (h *Home) Lock(ctx context.Context, m Mode, waiting func(Wait)) (*Lock, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, h.lockError(err)
	}
	tell := func(pid int) {
		if waiting != nil { // once
			waiting(Wait{Path: h.root.join(lockName), PID: pid})
			waiting = nil
		}
	}
	if err := h.turns.enter(ctx, m, func() { tell(os.Getpid()) }); err != nil {
		return nil, h.lockError(err)
	}
	f, err := h.flock(ctx, m, tell)
	if err != nil {
		h.turns.leave(m)
		return nil, h.lockError(err)
	}
	return &Lock{h: h, mode: m, file: f}, nil
}

func (h *Home) lockError(err error) error {
	return fmt.Errorf("taking the catalogue lock %s: %w", h.root.join(lockName), err)
}

// flock returns a descriptor that holds the lock of the file that is at the path now.
func (h *Home) flock(ctx context.Context, m Mode, tell func(pid int)) (lockFile, error) {
	f, err := h.lockFile()
	if err != nil {
		return f, err
	}
	how := lockShared
	if m == Exclusive {
		how = lockExclusive
	}
	var since time.Time // of the first refusal
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if err = h.sys.Flock(f.fd, how); err == nil {
			if err = h.stillLockFile(f.id); err == nil {
				return f, nil
			}
		}
		if !errors.Is(err, errBusy) {
			break
		}
		if since.IsZero() {
			since = time.Now()
		} else if time.Since(since) > noticeAfter {
			tell(lockHolder(f.id))
			if w, ok := h.sys.(waiter); ok {
				return h.inTurn(ctx, w, f, how)
			}
		}
		if err = sleep(ctx, pause/2+rand.N(pause)); err != nil {
			break
		}
	}
	_ = h.sys.Close(f.fd)
	return f, err
}

// inTurn is flock for who has waited for long.
func (h *Home) inTurn(ctx context.Context, w waiter, f lockFile, how locking) (lockFile, error) {
	f, err := h.queue(ctx, w, f, how)
	if err != nil {
		return f, err
	}
	if err = h.stillLockFile(f.id); err != nil {
		_ = h.sys.Flock(f.fd, unlock)
		_ = h.sys.Close(f.fd)
	}
	return f, err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stillLockFile refuses a lock on a file that somebody took from its place: another process would lock the new one.
func (h *Home) stillLockFile(id inode) error {
	i, err := h.sys.Lstat(h.root.fd, lockName)
	if err != nil || i.Inode != id {
		return fmt.Errorf("%s: %w", h.root.join(lockName), ErrHomeReplaced)
	}
	return nil
}

// lockFile is a descriptor of the lock file, for one holder at a time: a flock belongs to the descriptor.
type lockFile struct {
	fd int
	id inode
}

// lockFile returns the idle descriptor or a new one. To read is enough for a lock.
func (h *Home) lockFile() (lockFile, error) {
	h.mu.Lock()
	f := h.idle
	h.idle.fd = -1
	h.mu.Unlock()
	if f.fd >= 0 {
		return f, nil
	}
	fd, i, err := h.root.openPrivate(lockName, reading)
	var bad *persist.RecordError
	switch {
	case errors.Is(err, persist.ErrNotExist):
		err = ErrNoLockFile
	case errors.As(err, &bad) && bad.Err == nil:
		err = h.unsafeLock(bad)
	}
	return lockFile{fd, i.Inode}, err
}

// unsafeLock says what is wrong with the lock file. Nobody is told to take it away: others may hold it.
func (h *Home) unsafeLock(bad *persist.RecordError) error {
	e := &UnsafeError{Path: h.root.join(lockName), Flaw: NotALockFile, Wanted: Look{Mode: 0o600, UID: h.root.me}, Detail: bad.Detail}
	i, err := h.sys.Lstat(h.root.fd, lockName)
	if err != nil {
		return e
	}
	e.Found = lookOf(i)
	if i.Mode.IsRegular() && i.UID == h.root.me && i.Links == 1 && i.Mode != e.Wanted.Mode {
		e.Flaw = WrongMode
	}
	return e
}

// Unlock gives the lock back, by an unlock of its own before any close: a child between fork and exec has the
// descriptor too. The lock is gone also where an error is returned. A second call does nothing.
func (l *Lock) Unlock() error {
	f := l.file
	if f.fd < 0 {
		return nil
	}
	l.file.fd = -1
	err := l.h.sys.Flock(f.fd, unlock)
	l.h.mu.Lock()
	if err == nil && l.h.idle.fd < 0 && !l.h.closed {
		l.h.idle, f.fd = f, -1
	}
	l.h.mu.Unlock()
	if f.fd >= 0 {
		_ = l.h.sys.Close(f.fd)
	}
	l.h.turns.leave(l.mode)
	if err != nil {
		return fmt.Errorf("giving back the catalogue lock %s: %w", l.h.root.join(lockName), err)
	}
	return nil
}
