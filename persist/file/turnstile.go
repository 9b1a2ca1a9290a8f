package file

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turnstile is a read-write lock that honours a context and serves in order of arrival: a stream of shared holders
// cannot starve an exclusive one. It stands before the file's lock, which knows no order.
type turnstile struct {
	mu     sync.Mutex
	inside int // shared holders, or -1 for an exclusive one
	queue  []*ticket
}

type ticket struct {
	mode Mode
	in   chan struct{} // closed on admission
}

// enter waits for its turn; overdue is called once when that takes longer than noticeAfter.
func (t *turnstile) enter(ctx context.Context, m Mode, overdue func()) error {
	t.mu.Lock()
	if len(t.queue) == 0 && t.admits(m) {
		t.admit(m)
		t.mu.Unlock()
		return nil
	}
	mine := &ticket{m, make(chan struct{})}
	t.queue = append(t.queue, mine)
	t.mu.Unlock()
	late := time.NewTimer(noticeAfter)
	defer late.Stop()
	for {
		select {
		case <-mine.in:
			return nil
		case <-late.C:
			overdue()
		case <-ctx.Done():
			if !t.giveUp(mine) {
				t.leave(m) // admitted in the same moment
			}
			return context.Cause(ctx)
		}
	}
}

// leave lets go of what enter gave.
func (t *turnstile) leave(m Mode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m == Exclusive {
		t.inside = 0
	} else {
		t.inside--
	}
	t.serve()
}

func (t *turnstile) giveUp(mine *ticket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.queue, mine)
	if i < 0 {
		return false
	}
	t.queue = slices.Delete(t.queue, i, i+1)
	t.serve()
	return true
}

func (t *turnstile) serve() {
	for len(t.queue) > 0 && t.admits(t.queue[0].mode) {
		t.admit(t.queue[0].mode)
		close(t.queue[0].in)
		t.queue = t.queue[1:]
	}
}

func (t *turnstile) admits(m Mode) bool { return t.inside == 0 || m == Shared && t.inside > 0 }

func (t *turnstile) admit(m Mode) {
	if m == Exclusive {
		t.inside = -1
	} else {
		t.inside++
	}
}
