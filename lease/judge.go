package lease

import (
	"errors"
	"fmt"
	"sync"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// view is where the question is asked: the same for every lease of one operation.
type view struct {
	sameMachine bool
	boot        string // "" where the boot id cannot be trusted
	namespaces  process.Namespaces
	seen        map[question]answer
	census      func() process.Census // of who carries the Mark, taken at most once, and only where an end is not proved
	ended       map[uint64]bool       // what was said of PID namespaces, by their ids
}

// question is one about a process, answer what the inspector said.
type (
	question struct {
		process.Identity
		inode uint64
	}
	answer struct {
		process.Status
		fact string
	}
)

func (r *Registry) look() view {
	v := view{sameMachine: r.sameMachine(), seen: map[question]answer{}, ended: map[uint64]bool{}}
	v.boot, _ = r.opt.inspector.Boot()
	v.namespaces, _ = r.opt.inspector.Namespaces()
	v.census = sync.OnceValue(func() process.Census { return r.opt.inspector.Look(Mark) })
	return v
}

// probe asks for the liveness lock of a lease. A doctor that holds it itself brings its own answer.
type probe func(id string) (file.Holding, error)

// judge gathers the facts about i.Lease and has them judged; once more with a look for life where they prove no end.
func (r *Registry) judge(v view, i *Inspection, probe probe) {
	r.gather(v, i, probe)
	i.Verdict = verdict.Judge(i.Facts)
	if i.Verdict.Provisional() {
		v.lookForLife(i)
		i.Verdict = verdict.Judge(i.Facts)
	}
	i.nameTheLiving()
}

func (r *Registry) gather(v view, i *Inspection, probe probe) {
	owner := i.Lease.OwnedBy()
	i.Facts = verdict.Facts{
		Version: i.Lease.Version(), Lock: lockFact(probe(i.ID)),
		SameMachine: v.sameMachine, BootReliable: v.boot != "",
		OwnerBootCurrent: owner.BootID == v.boot, SinglePIDNamespace: r.opt.vouched,
	}
	i.Evidence = r.evidence(i.ID, owner.Token)
	if e := i.Evidence; e != nil {
		i.Facts.Evidence, i.Facts.Place, i.Facts.Boundary = true, r.placeOf(v, i), string(e.Boundary.Kind)
	}
	i.Facts.Owner = r.status(v, i, "owner", ownerIdentity(owner), evidenceInode(i.Evidence, false))
	if l, ok := i.Lease.(*leasefile.LeaseV2); ok {
		r.gatherContainment(v, i, l)
	}
}

func (r *Registry) gatherContainment(v view, i *Inspection, l *leasefile.LeaseV2) {
	i.State = fsm.State(l.Containment.Status)
	i.Facts.State = i.State
	if h := l.Containment.Host; h != nil {
		i.Facts.HostRecorded, i.Facts.HostBootCurrent = true, h.BootID == v.boot
		i.Facts.Host = r.status(v, i, "host", hostIdentity(*h), evidenceInode(i.Evidence, true))
	}
	r.askBoundary(v, i, l)
}

// nameTheLiving gives the numbers of owner and host where they are proved to be theirs.
func (i *Inspection) nameTheLiving() {
	if i.Facts.Place == verdict.PlaceOther || i.Facts.Place == verdict.PlaceGone {
		return
	}
	if i.Facts.Owner == verdict.Live {
		i.Life.Owner = i.Lease.OwnedBy().PID
	}
	if l, ok := i.Lease.(*leasefile.LeaseV2); ok && l.Containment.Host != nil && i.Facts.Host == verdict.Live {
		i.Life.Host = l.Containment.Host.PID
	}
}

// evidence returns the evidence of the lease whose owner has token; nil where there is none: missing, torn or of
// another token is no evidence, and no sign of death.
func (r *Registry) evidence(id, token string) *leasefile.EvidenceV2 {
	if e := r.noted(id); e != nil && e.Token == token {
		return e
	}
	return nil
}

// noted is the evidence beside a lease, whoever its owner was.
func (r *Registry) noted(id string) *leasefile.EvidenceV2 {
	b, err := r.home.ReadRecord("owners/" + id + ".json")
	if err != nil {
		return nil
	}
	any, err := leasefile.DecodeEvidenceFile(b)
	if err != nil {
		return nil
	}
	if e := lift(any); e.LeaseID == id {
		return e
	}
	return nil
}

// status asks about one process and keeps the fact in words.
func (r *Registry) status(v view, i *Inspection, who string, id process.Identity, inode uint64) verdict.Liveness {
	if i.Facts.Place == verdict.PlaceOther || i.Facts.Place == verdict.PlaceGone {
		i.Words = append(i.Words, fmt.Sprintf("%s pid %d: a number of another PID namespace", who, id.PID))
		return verdict.Unknown
	}
	q := question{id, inode}
	a, asked := v.seen[q]
	if !asked || !a.stands(i.Facts.Lock) {
		a.Status, a.fact = r.opt.inspector.Status(id, inode)
		v.seen[q] = a
	}
	i.Words = append(i.Words, fmt.Sprintf("%s pid %d: %s", who, id.PID, a.fact))
	return liveness(a.Status)
}

// stands tells whether an answer from earlier in the same operation is as good as a new one: death is for ever, and of who
// was alive the lock, asked just now, says that it still was needed. Many leases have the same owner.
func (a answer) stands(lock verdict.Lock) bool {
	return a.Status == process.Dead || a.Status == process.Live && lock == verdict.LockHeld
}

// liveness is the one place where a process's status becomes a verdict's fact.
func liveness(s process.Status) verdict.Liveness {
	switch s {
	case process.Live:
		return verdict.Live
	case process.Dead:
		return verdict.Dead
	}
	return verdict.Unknown
}

func lockFact(h file.Holding, err error) verdict.Lock {
	switch {
	case errors.Is(err, persist.ErrNotExist), err == nil && h == file.Missing:
		return verdict.LockMissing
	case err != nil:
		return verdict.LockUnknown
	case h == file.Held:
		return verdict.LockHeld
	}
	return verdict.LockFree
}

// placeOf compares the recorded PID and time namespaces with ours; neither known (no such system) is the same place. The number of
// a namespace comes back, so it counts only together with the namespace's id, or with its init, where both sides know it.
func (r *Registry) placeOf(v view, i *Inspection) verdict.Place {
	e, n := i.Evidence, v.namespaces
	samePID, sameTime := fromNullable(e.PIDNamespace) == n.PID, fromNullable(e.TimeNamespace) == n.Time
	switch {
	case samePID && sameTime && sameLife(e, n):
		return verdict.PlaceSame
	case samePID && sameTime, i.Facts.Lock != verdict.LockHeld && r.ended(v, e):
		return verdict.PlaceGone // of the living no two have one number
	}
	return verdict.PlaceOther
}

// sameLife reports whether the recorded PID namespace is ours and not one that had our number before.
func sameLife(e *leasefile.EvidenceV2, n process.Namespaces) bool {
	switch id, init := fromNullable(e.PIDNamespaceID), fromNullable(e.InitInode); {
	case id != 0 && n.PIDID != 0:
		return id == n.PIDID
	case init != 0 && n.InitInode != 0:
		return init == n.InitInode
	case e.InitStartID != nil && n.InitStartID != "":
		return *e.InitStartID == n.InitStartID
	}
	return true
}

// ended asks whether the owner's PID namespace is proved to be no more, once for each in an operation.
func (r *Registry) ended(v view, e *leasefile.EvidenceV2) bool {
	id, number := fromNullable(e.PIDNamespaceID), fromNullable(e.PIDNamespace)
	if id == 0 {
		return false
	}
	answer, asked := v.ended[id]
	if !asked {
		answer = r.opt.inspector.NamespaceEnded(id, number)
		v.ended[id] = answer
	}
	return answer
}

func ownerIdentity(o leasefile.Owner) process.Identity {
	return process.Identity{PID: o.PID, BootID: o.BootID, StartID: o.ProcessStartID}
}

func hostIdentity(h leasefile.Host) process.Identity {
	return process.Identity{PID: h.PID, BootID: h.BootID, StartID: h.ProcessStartID}
}

// HostOf is a process's identity as hostStarting and hostStarted want it.
func HostOf(p process.Identity) leasefile.Host {
	return leasefile.Host{PID: p.PID, BootID: p.BootID, ProcessStartID: p.StartID}
}

func evidenceInode(e *leasefile.EvidenceV2, host bool) uint64 {
	switch {
	case e == nil:
		return 0
	case host:
		return fromNullable(e.HostInode)
	}
	return fromNullable(e.OwnerInode)
}

func fromNullable(n *int64) uint64 {
	if n == nil {
		return 0
	}
	return uint64(*n)
}

// nullable is a kernel number as a record holds it: null where it is not known, or larger than JSON's exact integers.
func nullable(n uint64) *int64 {
	if n == 0 || n > 1<<53-1 {
		return nil
	}
	v := int64(n)
	return &v
}

// text is a text as a record holds it: null where it is not known.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
