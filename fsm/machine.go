// Package fsm is the lifecycle of a containment lease.
//
// [Table] lists every arrow, [NoOps] every repeat; any other pair of state and event is refused with a
// [*TransitionError]. [Machine] runs the table:
//
//	absent ──acquire──▶ parent-owned ──hostStarting──▶ host-starting ──hostStarted──▶ host-active
//	                         │                              │                             │
//	                         ├──────────────────────────────┴─────────────────────────────┤
//	                         ▼ cleanupComplete                              cleanupUnsafe ▼
//	                  cleanup-complete ──release──▶ released                      cleanup-unsafe
//
// Memory moves after the disk: the one hook of the machine makes the arrow's durable write, and only its word
// that the bytes are in place moves the state. There is no other hook, so there is no place for a second write.
//
// This is the only package that knows github.com/looplab/fsm; its machine is never handed out, since its SetState
// accepts anything and its Event, Can and SetState deadlock inside a hook.
package fsm

import (
	"context"
	"errors"
	"sync"

	looplab "github.com/looplab/fsm"
)

// Transition is one arrow about to be taken, as its hook sees it. H is the type of a host's exact identity.
type Transition[H comparable] struct {
	Row
	Host  *H    // on record once the arrow is taken; nil for none
	Cause error // of cleanupUnsafe: for the log, never written; may be nil
}

// Hook makes the arrow's durable write. landed says whether the new bytes are in place: then the state moves, also
// when err tells that their durability is not proved. ctx is the caller's own and may end at any time.
type Hook[H comparable] func(ctx context.Context, t Transition[H]) (landed bool, err error)

// Input is what an event brings along.
type Input[H comparable] struct {
	Host  *H    // hostStarting and hostStarted
	Cause error // cleanupUnsafe
}

// Machine holds the state of one lease. State and Can never wait. Fire and Resume refuse with ErrBusy rather than
// wait for another Fire: who wants a queue holds a lock of his own.
type Machine[H comparable] struct {
	lease string
	hook  Hook[H]
	busy  sync.Mutex
	inner *looplab.FSM

	mu   sync.Mutex
	host *H
}

// New returns a machine in state s with the given host on record (nil for none). hook is called once for every arrow
// taken, and never for a repeat or a refusal.
func New[H comparable](lease string, s State, host *H, hook Hook[H]) *Machine[H] {
	m := &Machine[H]{lease: lease, hook: hook, host: host}
	m.inner = looplab.NewFSM(string(s), arrows(), m.callbacks())
	return m
}

// arrows is Table in looplab's form.
func arrows() looplab.Events {
	var out looplab.Events
	for _, r := range Table {
		out = append(out, looplab.EventDesc{Name: string(r.Event), Src: []string{string(r.From)}, Dst: string(r.To)})
	}
	return out
}

// callbacks: a guard before each event, then the one general hook. A misspelt key vanishes silently in looplab;
// the tests count one call of each for every arrow.
func (m *Machine[H]) callbacks() looplab.Callbacks {
	cb := looplab.Callbacks{"before_event": m.write}
	for _, ev := range Events {
		cb["before_"+string(ev)] = m.guard
	}
	return cb
}

// State returns where the lease stands.
func (m *Machine[H]) State() State { return State(m.inner.Current()) }

// Host returns a copy of the host on record, nil for none.
func (m *Machine[H]) Host() *H {
	m.mu.Lock()
	defer m.mu.Unlock()
	return clone(m.host)
}

// Can reports whether the table lets ev happen now, as an arrow or as a repeat. A guard or the disk may still refuse.
func (m *Machine[H]) Can(ev Event) bool {
	_, refused := Refusal(m.State(), ev)
	return !refused
}

// flight is one Fire on its way through looplab, which hands its arguments to every callback untouched.
type flight[H comparable] struct {
	ctx context.Context
	in  Input[H]
}

// Fire takes the arrow of ev. Errors: *TransitionError (ErrRefused; nothing changed), ErrBusy, ctx.Err() where the
// context had ended before the start, or what the hook returned. A context that ends later reaches the hook only: looplab
// would otherwise keep a half-made transition and refuse every later event.
func (m *Machine[H]) Fire(ctx context.Context, ev Event, in Input[H]) error {
	if !m.busy.TryLock() {
		return ErrBusy
	}
	defer m.busy.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	s := m.State()
	if IsNoOp(s, ev) {
		return nil
	}
	if class, refused := Refusal(s, ev); refused {
		return m.refuse(ev, class, "")
	}
	err := m.inner.Event(context.WithoutCancel(ctx), string(ev), flight[H]{ctx, in})
	var canceled looplab.CanceledError
	if errors.As(err, &canceled) {
		return canceled.Err
	}
	return err
}

// Resume moves the state along t, whose write was unsettled when Fire returned and has since been found to have
// landed. It calls no hook. *TransitionError if t is not an arrow out of the present state.
func (m *Machine[H]) Resume(t Transition[H]) error {
	if !m.busy.TryLock() {
		return ErrBusy
	}
	defer m.busy.Unlock()
	if r, ok := Find(m.State(), t.Event); !ok || r != t.Row {
		return m.refuse(t.Event, OutOfOrder, "the settled write belongs to another state")
	}
	m.inner.SetState(string(t.To))
	m.record(t.Host)
	return nil
}

// guard holds the arrow's host rule.
func (m *Machine[H]) guard(_ context.Context, e *looplab.Event) {
	row, host := m.row(e), e.Args[0].(flight[H]).in.Host
	switch {
	case row.Host == HostRecord && host == nil:
		e.Cancel(m.refuse(row.Event, OutOfOrder, "no host was given"))
	case row.Host == HostSame && (host == nil || m.host == nil || *host != *m.host):
		e.Cancel(m.refuse(row.Event, HostAdmissionChanged, "this is not the host on record"))
	}
}

// write runs the hook. Cancel keeps the state; an error left in e.Err without Cancel lets it move.
func (m *Machine[H]) write(_ context.Context, e *looplab.Event) {
	f := e.Args[0].(flight[H])
	t := Transition[H]{Row: m.row(e), Host: m.Host(), Cause: f.in.Cause}
	if t.Row.Host == HostRecord {
		t.Host = clone(f.in.Host)
	}
	landed, err := m.hook(f.ctx, t)
	if !landed {
		if err == nil {
			err = errors.New("the hook neither wrote nor said why")
		}
		e.Cancel(err)
		return
	}
	m.record(t.Host)
	e.Err = err
}

func (m *Machine[H]) row(e *looplab.Event) Row {
	r, _ := Find(State(e.Src), Event(e.Event))
	return r
}

func (m *Machine[H]) record(h *H) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.host = clone(h)
}

func (m *Machine[H]) refuse(ev Event, c Class, detail string) error {
	return &TransitionError{Lease: m.lease, State: m.State(), Event: ev, Class: c, Detail: detail}
}

func clone[H any](h *H) *H {
	if h == nil {
		return nil
	}
	c := *h
	return &c
}
