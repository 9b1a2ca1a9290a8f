package etcd

import (
	"context"
	"iter"

	"containlease/gen/leasefile"
	"containlease/persist"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// Fleet reads the leases of all machines, and can do nothing else. Safe for concurrent use.
type Fleet struct{ *conn }

// OpenFleet connects. The user needs to read everything under /containlease/v1/machines/ and nothing more. The caller
// closes it.
func OpenFleet(ctx context.Context, opts ...Option) (*Fleet, error) {
	c, err := dial(ctx, opts)
	if err != nil {
		return nil, err
	}
	return &Fleet{c}, nil
}

// Standing is what can be said of a lease from afar: by its bytes and its machine's record, never by a process.
type Standing string

// The standings. Only Complete says that nothing of the invocation runs any more.
const (
	Complete    Standing = "complete"    // its processes were proved gone; only its removal is missing
	Uncontained Standing = "uncontained" // it runs, or its machine's doctor has to say what became of it
	Unsafe      Standing = "unsafe"      // its owner could not prove that its processes are gone
	BootOver    Standing = "boot-over"   // not complete, but its machine has booted since: the doctor there will clear it
	NoMachine   Standing = "no-machine"  // its machine has no readable record
	Unreadable  Standing = "unreadable"  // no lease that this program knows
)

// Record is one machine, or one lease with its machine, as of a revision.
type Record struct {
	MachineID       string               // "" where the key belongs to nobody: then Key is the whole key
	Machine         *leasefile.MachineV1 // nil: not registered, or unreadable
	MachineRevision int64                // at which the machine's record was last written; its boot moved on no later

	persist.Entry                 // the lease; Key is "" where it is the machine's own record
	Lease         leasefile.Lease // nil where it is unreadable
	Standing      Standing        // "" where it is the machine's own record

	Revision int64 // at which this record was last written
	As       int64 // the revision that was read: go on watching from here
}

// List yields every machine followed by its leases, in the order of the keys and all as of one revision. A bad record is a
// Record with Err set. The sequence's error ends it; it may be ErrCompacted.
func (f *Fleet) List(ctx context.Context) iter.Seq2[Record, error] {
	return f.list(ctx, func(int64) {})
}

// list is List; seen is told the revision also where there is nothing to yield.
func (f *Fleet) list(ctx context.Context, seen func(as int64)) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var as int64
		var last Record // the machine whose leases follow
		for kv, err := range f.pairs(ctx, root, func(revision int64) { as = revision; seen(as) }) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			r := recordOf(kv, func(id string) Record {
				if id != last.MachineID {
					return Record{MachineID: id}
				}
				return last
			})
			r.As = as
			if r.Key == "" {
				last = r
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// recordOf reads a pair. machine gives the record of the lease's machine.
func recordOf(kv *mvccpb.KeyValue, machine func(id string) Record) Record {
	key := string(kv.Key)
	at := placeOf(key)
	switch {
	case at.machine == "":
		return Record{Entry: entryOf(key, nil), Standing: Unreadable, Revision: kv.ModRevision}
	case at.lease == "":
		m := Record{MachineID: at.machine, Machine: machineOf(at.machine, kv.Value),
			MachineRevision: kv.ModRevision, Revision: kv.ModRevision}
		m.Content, m.Digest = kv.Value, persist.DigestOf(kv.Value)
		if m.Machine == nil {
			m.Err = &persist.RecordError{Key: key, Kind: persist.Unreadable, Detail: "it is no record of this machine"}
		}
		return m
	}
	of := machine(at.machine)
	r := Record{MachineID: at.machine, Machine: of.Machine, MachineRevision: of.MachineRevision,
		Entry: entryOf(at.lease, kv.Value), Revision: kv.ModRevision}
	r.Standing = r.judge()
	return r
}

// judge decodes the lease and says how it stands.
func (r *Record) judge() Standing {
	if r.Err != nil {
		return Unreadable
	}
	l, err := leasefile.DecodeFileNamed(r.Key+".json", r.Content)
	if err != nil {
		r.Err = &persist.RecordError{Key: r.Key, Kind: persist.Unreadable, Detail: "it is no lease", Err: err}
		return Unreadable
	}
	r.Lease = l
	v2, _ := l.(*leasefile.LeaseV2)
	switch {
	case v2 != nil && v2.Containment.Status == leasefile.ContainmentStatusCleanupComplete:
		return Complete
	case r.Machine == nil:
		return NoMachine
	case l.OwnedBy().BootID != r.Machine.BootID:
		return BootOver
	case v2 != nil && v2.Containment.Status == leasefile.ContainmentStatusCleanupUnsafe:
		return Unsafe
	}
	return Uncontained
}

// Lasting reports whether the lease keeps its plugin from starting until somebody acts on its machine.
func (s Standing) Lasting() bool { return s != "" && s != Complete }
