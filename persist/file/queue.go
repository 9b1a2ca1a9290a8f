package file

import (
	"context"
	"slices"
	"sync"
)

// waiter is a system that can stand in the kernel's queue for a flock, which serves in order of arrival. Whoever only asks
// again and again is served by chance: of 64 processes some waited for half a minute.
type waiter interface {
	// AwaitFlock is Flock, and waits. It cannot be interrupted.
	AwaitFlock(fd int, how locking) error
}

// place is one place in that queue, and the goroutine that stands there. It is left by leaving the goroutine behind, which
// gives the lock back as soon as it gets it; until then the next who waits takes the place over.
type place struct {
	spot
	sys system
	fd  int
	got chan error // buffered: how it ended

	over bool // the goroutine has ended; left guards it
}

// spot is what is waited for.
type spot struct {
	file inode
	how  locking
}

// left holds the places that nobody waits at, of the whole process: a holder who never ends costs one blocked thread, however
// often somebody gives up on it, and however often the home is opened anew for that.
var left = struct {
	sync.Mutex
	at map[spot][]*place
}{at: map[spot][]*place{}}

// standIn queues fd for the lock.
func standIn(sys system, w waiter, s spot, fd int) *place {
	p := &place{spot: s, sys: sys, fd: fd, got: make(chan error, 1)}
	go func() {
		err := w.AwaitFlock(fd, s.how)
		left.Lock()
		defer left.Unlock()
		p.over = true
		p.got <- err
		if p.take() {
			p.close()
		}
	}()
	return p
}

// wait returns once the lock was given. On an error there is no descriptor to close any more.
func (p *place) wait(ctx context.Context) error {
	select {
	case err := <-p.got:
		if err != nil {
			p.close()
		}
		return err
	case <-ctx.Done():
	}
	left.Lock()
	defer left.Unlock()
	if p.over {
		p.close()
	} else {
		left.at[p.spot] = append(left.at[p.spot], p)
	}
	return context.Cause(ctx)
}

// take tells whether the place was left, and has it so no longer. The caller has locked left.
func (p *place) take() bool {
	places := left.at[p.spot]
	i := slices.Index(places, p)
	if i < 0 {
		return false
	}
	if places = slices.Delete(places, i, i+1); len(places) > 0 {
		left.at[p.spot] = places
	} else {
		delete(left.at, p.spot)
	}
	return true
}

// close gives back what nobody wants any more. The lock is given back before the descriptor: a child may have that too.
func (p *place) close() {
	_ = p.sys.Flock(p.fd, unlock)
	_ = p.sys.Close(p.fd)
}

// takeOver returns a place that was left, nil where there is none.
func takeOver(s spot) *place {
	left.Lock()
	defer left.Unlock()
	if len(left.at[s]) == 0 {
		return nil
	}
	p := left.at[s][0]
	p.take()
	return p
}

// queue waits in the kernel's queue and returns the descriptor that has the lock, which may be another one than f's. Where
// it fails none is left to close.
func (h *Home) queue(ctx context.Context, w waiter, f lockFile, how locking) (lockFile, error) {
	s := spot{f.id, how}
	p := takeOver(s)
	if p != nil {
		_ = h.sys.Close(f.fd)
	} else {
		p = standIn(h.sys, w, s, f.fd)
	}
	return lockFile{p.fd, f.id}, p.wait(ctx)
}
