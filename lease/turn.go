package lease

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// working is the set of the goroutines from which somebody else's code is called inside of a transition of a registry or
// under its catalogue lock. One that asks again (an event fired inside a store, a clock or an inspector, or by an observer
// that is told of a wait) is refused instead of waiting for itself: for its own handle, or for the lock that another handle's
// write needs.
type working struct {
	strangers bool         // what a transition calls may be anybody's
	abroad    atomic.Int64 // goroutines inside of call
	set       sync.Map
}

// enter returns ErrBusy to a goroutine that is inside already. To name a goroutine is a fifth of the work of a transition, so
// it is left out where there is nobody to ask again.
func (w *working) enter() (leave func(), err error) {
	if !w.strangers && w.abroad.Load() == 0 {
		return func() {}, nil
	}
	self := goroutine()
	if _, inside := w.set.LoadOrStore(self, true); inside {
		return nil, ErrBusy
	}
	return func() { w.set.Delete(self) }, nil
}

// call calls fn, which is somebody else's, in the middle of a transition.
func (w *working) call(fn func()) {
	w.abroad.Add(1)
	defer w.abroad.Add(-1)
	self := goroutine()
	if _, inside := w.set.LoadOrStore(self, true); !inside {
		defer w.set.Delete(self)
	}
	fn()
}

// turn lets one goroutine at a time work on a handle. Waiting ends with the context.
type turn struct {
	working *working
	free    chan struct{}
	leave   func() // of whoever has the turn
}

func newTurn(w *working) turn {
	free := make(chan struct{}, 1)
	free <- struct{}{}
	return turn{working: w, free: free}
}

// take returns ErrBusy to a goroutine that has a turn already, or ctx.Err().
func (t *turn) take(ctx context.Context) error {
	leave, err := t.working.enter()
	if err != nil {
		return err
	}
	if err = ctx.Err(); err == nil {
		select {
		case <-t.free:
			t.leave = leave
			return nil
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	leave()
	return err
}

func (t *turn) give() {
	leave := t.leave
	t.free <- struct{}{}
	leave()
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
