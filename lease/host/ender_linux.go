package host

import (
	"sync"
	"syscall"
	"time"
)

// tick is how often an ending gate looks for children that came to it without a death of its own child; rarely is how often it
// looks after a while in which nothing has happened.
const (
	tick   = 20 * time.Millisecond
	rarely = 25 * tick
)

// killing is how long a gate that cannot prove the end kills before it ends itself.
const killing = time.Second

// ender ends what is left: it asks (TERM), and after the grace kills until nothing is left to reap. It starts at the first
// of: a request to stop, a signal that means one, the end of the plugin, the end of the owner.
type ender struct {
	kids   *children
	inside enclosure
	grace  time.Duration
	hinder func(error) // told, once, what stands in the way
	once   sync.Once
	wake   chan struct{}
	cut    chan struct{} // the grace is over before its time
	killed chan struct{} // closed when it has killed for a while

	mu      sync.Mutex
	leaving bool // the plugin has ended or was asked by us: ask everybody
	asked   map[int]bool
}

func newEnder(kids *children, inside enclosure, grace time.Duration, hinder func(error)) *ender {
	return &ender{kids: kids, inside: inside, grace: grace, hinder: hinder, wake: make(chan struct{}, 1),
		cut: make(chan struct{}, 1), killed: make(chan struct{}), asked: map[int]bool{}}
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
	var enough <-chan time.Time
	var told sync.Once
	strike := e.askLeftovers
	for pause := tick; ; {
		if err := strike(); err != nil {
			told.Do(func() { e.hinder(err) })
		}
		begin := false
		select {
		case <-over:
			begin = true
		case <-e.cut:
			begin = enough == nil
		case <-enough:
			close(e.killed)
		case <-e.wake:
			pause = tick
		case <-time.After(pause):
			pause = min(2*pause, rarely)
		}
		if begin {
			strike, over, enough, pause = e.killAll, nil, time.After(killing), tick
		}
	}
}

// killAll kills what is inside, and every child.
func (e *ender) killAll() error {
	e.inside.kill(e.kids)
	return e.kids.signalAll(syscall.SIGKILL, func(int) bool { return true })
}

// askLeftovers sends TERM, once each, to the children that the plugin left. A pid that comes again to another child after a
// long time is asked no second time, but killed like all after the grace.
func (e *ender) askLeftovers() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.leaving {
		return nil
	}
	return e.kids.signalAll(syscall.SIGTERM, func(pid int) bool {
		before := e.asked[pid]
		e.asked[pid] = true
		return !before
	})
}
