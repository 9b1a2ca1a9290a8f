package lease

import (
	"sync"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"
)

// Handle drives one lease of this process, from acquire to release. All methods are safe for concurrent use; events
// are made one at a time. State, Snapshot and Can never wait for a disk.
type Handle struct {
	reg     *Registry
	id      string
	wish    wish
	machine *fsm.Machine[leasefile.Host]
	turn    turn
	outbox  outbox

	// Only whoever has the turn touches these.
	liveness  *file.Liveness
	evidence  leasefile.EvidenceV2
	evidenced bool // some evidence is beside the lease for certain

	mu     sync.Mutex // guards what follows; never held while waiting
	state  fsm.State  // of the lease below: the machine moves a moment later
	lease  leasefile.LeaseV2
	digest persist.Digest // of the bytes last known on disk
	write  *attempt       // an unsettled or not durable write, for Resync
	lost   error          // ErrChanged or ErrLostLock: somebody else touched the lease
	closed bool
}

// attempt is a write on its way to the disk, with what it means.
type attempt struct {
	persist.Attempt
	transition fsm.Transition[leasefile.Host]
	next       leasefile.LeaseV2
	landed     bool     // visible; only its durability is in doubt
	before     *attempt // an earlier one whose durability is in doubt, or nil
}

// Snapshot is a handle's knowledge at one moment.
type Snapshot struct {
	Lease   leasefile.LeaseV2 // as last known on disk; of a released lease the last bytes
	State   fsm.State
	Digest  persist.Digest // of those bytes
	Frozen  bool           // the last write is under way or unsettled: once it has returned, only Resync is accepted
	Durable bool           // no write is known whose durability is in doubt
	Err     error          // ErrChanged or ErrLostLock once somebody else touched the lease
}

func newHandle(r *Registry, l leasefile.LeaseV2, ev leasefile.EvidenceV2, w wish) *Handle {
	h := &Handle{reg: r, id: l.LeaseID, wish: w, lease: l, evidence: ev, state: fsm.StateAbsent, turn: newTurn(&r.working)}
	h.machine = fsm.New(l.LeaseID, fsm.StateAbsent, nil, h.hook)
	return h
}

// ID returns the lease's id.
func (h *Handle) ID() string { return h.id }

// Registry returns the registry that the lease belongs to.
func (h *Handle) Registry() *Registry { return h.reg }

// State returns where the lease stands.
func (h *Handle) State() fsm.State { return h.machine.State() }

// Can reports whether ev would be accepted now: allowed by the table, and the handle neither frozen, lost nor closed.
func (h *Handle) Can(ev fsm.Event) bool { return h.usable(ev) == nil && h.machine.Can(ev) }

// Snapshot returns what the handle knows.
func (h *Handle) Snapshot() Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := Snapshot{Lease: h.lease, State: h.state, Digest: h.digest, Durable: h.write == nil, Err: h.lost}
	s.Frozen = h.write != nil && !h.write.landed
	if host := s.Lease.Containment.Host; host != nil {
		c := *host
		s.Lease.Containment.Host = &c
	}
	return s
}

// usable says why the handle does not take ev, whatever the table says.
func (h *Handle) usable(ev fsm.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return h.explain(ErrClosed, "it was closed")
	case h.write != nil && !h.write.landed:
		return h.explain(ErrUnsettled, "an earlier write is not settled: call Resync")
	case h.lost != nil:
		if _, arrow := fsm.Find(h.machine.State(), ev); arrow {
			return h.explain(h.lost, "this handle never writes it back")
		}
	}
	return nil
}
