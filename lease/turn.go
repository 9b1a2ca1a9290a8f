package lease

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// turn lets one goroutine at a time work on a handle. Waiting ends with the context; a goroutine that has the turn and
// asks again (an event fired inside a store, a clock or an inspector) is refused instead of waiting for itself.
type turn struct {
	free   chan struct{}
	holder atomic.Uint64
}

func (t *turn) init() { t.free = make(chan struct{}, 1); t.free <- struct{}{} }

// take returns ErrBusy to the goroutine that has the turn already, or ctx.Err().
func (t *turn) take(ctx context.Context) error {
	self := goroutine()
	if t.holder.Load() == self {
		return ErrBusy
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-t.free:
		t.holder.Store(self)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turn) give() {
	t.holder.Store(0)
	t.free <- struct{}{}
}

// goroutine returns the number in the first line of a stack trace, "goroutine 12 [running]:". The run-time offers no
// other name; here it serves only to turn a certain deadlock into an error.
func goroutine() uint64 {
	var buf [40]byte
	line := buf[:runtime.Stack(buf[:], false)]
	line = bytes.TrimPrefix(line, []byte("goroutine "))
	n, _ := strconv.ParseUint(string(line[:max(0, bytes.IndexByte(line, ' '))]), 10, 64)
	return n
}

// outbox tells observations in the order in which they were posted, one at a time, and never inside a turn: an observer may
// fire events, whose own observations follow when it returns.
type outbox struct {
	mu      sync.Mutex
	posted  []Observation
	telling bool
}

func (b *outbox) post(o Observation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posted = append(b.posted, o)
}

func (b *outbox) deliver(tell func(Observation)) {
	b.mu.Lock()
	if b.telling {
		b.mu.Unlock()
		return
	}
	b.telling = true
	defer func() { b.telling = false; b.mu.Unlock() }()
	for len(b.posted) > 0 {
		o := b.posted[0]
		b.posted = b.posted[1:]
		b.mu.Unlock()
		func() {
			defer b.mu.Lock() // also if the observer panics
			tell(o)
		}()
	}
}
