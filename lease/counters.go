package lease

import (
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	"containlease/fsm"
	"containlease/lease/verdict"
)

// Counters counts what registries of this process do. The zero value is ready; all methods are safe for concurrent use. One may
// serve many registries:
//
//	var counters lease.Counters
//	expvar.Publish("containlease", &counters)                        // it is an expvar.Var
//	reg, err := lease.Open(ctx, dir, lease.WithObserver(counters.Observe))
//
// An observer of one's own calls Observe for whatever it is told. Nothing is counted twice where a write was in doubt: what
// a Resync settled counts once it is settled.
type Counters struct {
	mu      sync.Mutex
	n       Counts
	wait    tally
	hold    tally
	acquire tally
	since   map[string]time.Time // when the leases held here were acquired
}

// Counts is what Counters counted so far.
type Counts struct {
	Acquired  int64                   `json:"acquired"`
	Released  int64                   `json:"released"`
	Unsafe    int64                   `json:"unsafe"`    // invocations whose end could not be proved
	Recovered int64                   `json:"recovered"` // leases that the doctor removed, proved gone
	Decided   int64                   `json:"decided"`   // decisions of operators that were carried out
	Failed    int64                   `json:"failed"`    // events that failed or were refused, blocked ones left out
	Blocked   map[verdict.Block]int64 `json:"blocked"`   // refusals of acquire, by reason
	Held      int64                   `json:"held"`      // leases acquired here, neither released nor unsafe yet

	Acquire Histogram `json:"acquireSeconds"` // successful acquires, with their waits and writes
	Wait    Histogram `json:"waitSeconds"`    // waits for the catalogue lock that were long enough to speak of (20 ms)
	Hold    Histogram `json:"holdSeconds"`    // from acquire to release, or to the news that the end is not proved
}

// Observe is an Observer.
func (c *Counters) Observe(o Observation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch o.Kind {
	case Moved:
		c.moved(o)
	case Failed:
		c.n.Failed++
	case Blocked:
		if c.n.Blocked == nil {
			c.n.Blocked = map[verdict.Block]int64{}
		}
		c.n.Blocked[blockOf(o)]++
	case Removed:
		c.n.Recovered++
	case Decided:
		c.n.Decided++
	case Waited:
		c.wait.add(o.Took)
	}
}

func (c *Counters) moved(o Observation) {
	switch o.To {
	case fsm.StateParentOwned:
		c.n.Acquired++
		c.acquire.add(o.Took)
		if c.since == nil {
			c.since = map[string]time.Time{}
		}
		c.since[o.Lease] = o.At
	case fsm.StateCleanupUnsafe:
		c.n.Unsafe++
		c.ended(o)
	case fsm.StateReleased:
		c.n.Released++
		c.ended(o)
	}
}

func (c *Counters) ended(o Observation) {
	if since, held := c.since[o.Lease]; held {
		c.hold.add(o.At.Sub(since))
		delete(c.since, o.Lease)
	}
}

// blockOf is why acquire was refused.
func blockOf(o Observation) verdict.Block {
	var blocked *BlockedError
	if errors.As(o.Err, &blocked) {
		return blocked.Block
	}
	return verdict.Block(o.Detail)
}

// Counts returns what was counted so far; the caller owns it.
func (c *Counters) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	n.Blocked = map[verdict.Block]int64{}
	maps.Copy(n.Blocked, c.n.Blocked)
	n.Held = int64(len(c.since))
	n.Acquire, n.Wait, n.Hold = c.acquire.histogram(), c.wait.histogram(), c.hold.histogram()
	return n
}

// String is Counts as JSON, as expvar.Var wants it.
func (c *Counters) String() string {
	b, err := json.Marshal(c.Counts())
	if err != nil {
		panic(err) // numbers and fixed names
	}
	return string(b)
}
