package file

import (
	"context"
	"sync"
)

// waiter is a system that can stand in the kernel's queue for a flock, which serves in order of arrival. Whoever only asks
// again and again is served by chance: of 64 processes some waited for half a minute.
type waiter interface {
	// AwaitFlock is Flock, and waits. It cannot be interrupted.
	AwaitFlock(fd int, how locking) error
}

// place is one place in that queue, and the goroutine that stands there. It is left by leaving the goroutine behind, which
// gives the lock back as soon as it gets it; until then the next who waits takes the place over, so that a holder who never
// ends costs one goroutine, however often somebody gives up on it.
type place struct {
	sys  system
	file lockFile

	mu    sync.Mutex
	owned bool       // by somebody who waits for served
	over  bool       // the goroutine has ended
	got   chan error // buffered: how it ended, for the owner
}

// standIn queues f for the lock.
func standIn(sys system, w waiter, f lockFile, how locking) *place {
	p := &place{sys: sys, file: f, owned: true, got: make(chan error, 1)}
	go func() {
		err := w.AwaitFlock(f.fd, how)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.over = true
		p.got <- err
		if !p.owned {
			p.close()
		}
	}()
	return p
}

// wait returns once the lock was given, or ctx has ended: then left tells that the place may be taken over. With any other
// error the descriptor is closed.
func (p *place) wait(ctx context.Context) (left bool, err error) {
	select {
	case err := <-p.got:
		if err != nil {
			_ = p.sys.Close(p.file.fd)
		}
		return false, err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owned = false
	if p.over {
		p.close()
	}
	return !p.over, context.Cause(ctx)
}

// takeOver tells whether somebody stands here whom nobody waits for.
func (p *place) takeOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	p.owned = true
	return true
}

// close gives back what nobody wants any more. The lock is given back before the descriptor: a child may have that too.
func (p *place) close() {
	_ = p.sys.Flock(p.file.fd, unlock)
	_ = p.sys.Close(p.file.fd)
}

// queue waits in the kernel's queue and returns the descriptor that has the lock, which may be another one's than f's. Where
// it fails none is left to close.
func (h *Home) queue(ctx context.Context, w waiter, f lockFile, how locking) (lockFile, error) {
	p := h.takePlace(how)
	if p != nil {
		_ = h.sys.Close(f.fd)
	} else {
		p = standIn(h.sys, w, f, how)
	}
	left, err := p.wait(ctx)
	if left {
		h.mu.Lock()
		h.places[how] = append(h.places[how], p)
		h.mu.Unlock()
	}
	return p.file, err
}

// takePlace takes over a place that was left, and forgets those where nobody stands any more; nil where there is none.
func (h *Home) takePlace(how locking) *place {
	h.mu.Lock()
	defer h.mu.Unlock()
	for places := h.places[how]; len(places) > 0; {
		p := places[0]
		places = places[1:]
		h.places[how] = places
		if p.takeOver() {
			return p
		}
	}
	return nil
}
