package host

import (
	"sync"
	"syscall"
	"time"
)

// tick is how often an ending gate looks for children that came to it without a death of its own child.
const tick = 20 * time.Millisecond

// ender ends what is left: it asks (TERM), and after the grace kills until nothing is left to reap. It starts at the first
// of: a request to stop, a signal that means one, the end of the plugin, the end of the owner.
type ender struct {
	kids   *children
	inside enclosure
	grace  time.Duration
	once   sync.Once
	wake   chan struct{}
	cut    chan struct{} // the grace is over before its time

	mu      sync.Mutex
	leaving bool // the plugin has ended or was asked by us: ask everybody
	asked   map[int]bool
}

func newEnder(kids *children, inside enclosure, grace time.Duration) *ender {
	return &ender{kids: kids, inside: inside, grace: grace, wake: make(chan struct{}, 1), cut: make(chan struct{}, 1),
		asked: map[int]bool{}}
}

// begin starts the grace; whoever began it has already asked the plugin.
func (e *ender) begin() { e.once.Do(func() { go e.run() }) }

// ask asks the plugin to end, and starts the grace.
func (e *ender) ask() {
	e.kids.signalPlugin(syscall.SIGTERM)
	e.begin()
}

// drain asks what the plugin left behind.
func (e *ender) drain() {
	e.mu.Lock()
	e.leaving = true
	e.mu.Unlock()
	e.begin()
}

// hurry ends the grace.
func (e *ender) hurry() {
	e.begin()
	nudge(e.cut)
}

// look says that a child was reaped: others may have come to us.
func (e *ender) look() { nudge(e.wake) }

// nudge never waits: one that was not heard yet is as good as two.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (e *ender) run() {
	over := time.After(e.grace)
	every := time.NewTicker(tick)
	defer every.Stop()
	for killing := false; ; {
		if killing {
			e.inside.kill(e.kids)
			e.kids.signalAll(syscall.SIGKILL, func(int) bool { return true })
		} else {
			e.askLeftovers()
		}
		select {
		case <-over:
			killing = true
		case <-e.cut:
			killing = true
		case <-e.wake:
		case <-every.C:
		}
	}
}

// askLeftovers sends TERM, once each, to the children that the plugin left. A pid that comes again to another child after a
// long time is asked no second time, but killed like all after the grace.
func (e *ender) askLeftovers() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.leaving {
		return
	}
	e.kids.signalAll(syscall.SIGTERM, func(pid int) bool {
		before := e.asked[pid]
		e.asked[pid] = true
		return !before
	})
}
