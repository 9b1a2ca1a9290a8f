package lease

import (
	"time"

	"containlease/fsm"
)

// Kind is what an Observation tells of.
type Kind string

// The kinds.
const (
	Moved   Kind = "moved"   // an arrow was taken: its write is in place, durable unless Err is ErrNotDurable
	Failed  Kind = "failed"  // an event failed or was refused
	Blocked Kind = "blocked" // acquire was refused by another lease
	Removed Kind = "removed" // the doctor removed a lease
	Waiting Kind = "waiting" // for the catalogue lock; told once a wait
	Waited  Kind = "waited"  // for the catalogue lock, as long as Took says; told once it was given back
	Decided Kind = "decided" // an operator's decision was carried out; see Detail
	Noted   Kind = "noted"   // something a person may want to know; see Detail
)

// Observation is one thing that happened.
type Observation struct {
	Kind   Kind
	At     time.Time // wall clock, for people only
	Lease  string
	Plugin string
	Event  fsm.Event
	From   fsm.State
	To     fsm.State
	Took   time.Duration // of a Moved or Failed event, with its writes; of a wait
	Detail string        // why: a cause, a rule, whom it waits for
	Err    error
}

// Observer is told of everything, for logs and metrics. See WithObserver.
type Observer func(Observation)

// tell passes on and logs one observation. It must not be called with a lock of this package held.
func (r *Registry) tell(o Observation) {
	if o.At.IsZero() {
		o.At = r.opt.clock()
	}
	args := []any{"lease", o.Lease, "plugin", o.Plugin, "event", string(o.Event), "from", string(o.From),
		"to", string(o.To), "took", o.Took, "detail", o.Detail}
	if o.Err != nil {
		r.opt.log.Warn(string(o.Kind), append(args, "error", o.Err)...)
	} else {
		r.opt.log.Info(string(o.Kind), args...)
	}
	r.opt.observer(o)
}
