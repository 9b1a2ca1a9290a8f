package verdict

import "containlease/fsm"

// Liveness is what is known of one recorded process. The zero value is Unknown: nothing is dead by default.
type Liveness int

// The three values, spelled as the original program spells them.
const (
	Unknown Liveness = iota
	Live             // exactly the recorded process runs
	Dead             // no such process, or another one under its number
)

func (l Liveness) String() string {
	return [...]string{"unknown", "exact-live-owner", "different-or-dead"}[l]
}

// Lock is what a probe of the owner's liveness lock said.
type Lock int

// The zero value is LockUnknown: a probe that failed proves nothing.
const (
	LockUnknown Lock = iota
	LockHeld
	LockFree
	LockMissing // there is no lock file: another program's lease, or somebody removed it
)

func (l Lock) String() string { return [...]string{"unknown", "held", "free", "missing"}[l] }

// Place compares where the owner recorded that it ran with where the question is asked.
type Place int

// The zero value is PlaceUnknown.
const (
	PlaceUnknown Place = iota // no evidence, or it could not be compared
	PlaceSame                 // same PID and time namespace
	PlaceOther                // another one: process numbers mean nothing here
	PlaceGone                 // another one, and the kernel says that it is no more: so is everything in it
)

func (p Place) String() string { return [...]string{"unknown", "same", "other", "gone"}[p] }

// Sight is whether processes of the lease are seen by the mark in their environment.
type Sight int

// The zero value is Unseen: where nobody looked, or somebody could not be looked at, nobody is absent.
const (
	Unseen Sight = iota
	Absent       // everybody was looked at, and nobody carries the mark
	Seen         // somebody alive carries it
)

func (s Sight) String() string { return [...]string{"unseen", "absent", "seen"}[s] }

// Facts is everything a verdict may depend on. There is no clock in it: age is never proof.
type Facts struct {
	Version int       // schemaVersion: 1 or 2
	State   fsm.State // of a v2 lease; a v1 lease has none

	HostRecorded bool
	Owner, Host  Liveness // Host counts only where HostRecorded

	// Whether the boot recorded with the process is the present one. HostBootCurrent counts only where HostRecorded.
	OwnerBootCurrent, HostBootCurrent bool

	Lock         Lock
	SameMachine  bool // the home belongs to this machine
	BootReliable bool // the present boot's id can be trusted
	Evidence     bool // the evidence file is there, whole, and carries the lease's token
	Place        Place

	Boundary          string // the recorded kind; "" or "none" where there was none
	BoundaryEmpty     bool   // the boundary's own proof that nothing is left in it
	BoundaryInhabited bool   // its own proof that something is; never both
	BoundaryClosed    bool   // its proof is about those too who left it: of who is unseen none can be of it
	Carriers          Sight  // of the lease's mark; asked only where no other proof decides

	SinglePIDNamespace bool // the operator's word that every user of the home shares one PID namespace
}

// hostIs reports whether a host is on record and is l.
func (f Facts) hostIs(l Liveness) bool { return f.HostRecorded && f.Host == l }

// anotherBoot: everything on record belongs to a boot that is over.
func (f Facts) anotherBoot() bool {
	return !f.OwnerBootCurrent && (!f.HostRecorded || !f.HostBootCurrent)
}

// bounded reports whether the invocation had an enclosure that could still hold a process.
func (f Facts) bounded() bool { return f.Boundary != "" && f.Boundary != "none" }

// unbounded reports whether it is known that there was no enclosure. Lost evidence does not say so: only an owner that
// keeps no liveness lock (another program) keeps no evidence either.
func (f Facts) unbounded() bool { return !f.bounded() && (f.Evidence || f.Lock == LockMissing) }

// alive reports whether something beside the owner is proved to live, or shows the mark. It forbids, and never allows.
func (f Facts) alive() bool {
	return f.hostIs(Live) || f.BoundaryInhabited || f.Carriers == Seen
}

// settledByLook reports whether the look at all processes lets the boundary's proof stand: nobody carries the mark, and who
// could not be looked at would have been waited for, or cannot be, since no plugin was ever started.
func (f Facts) settledByLook() bool {
	return f.Carriers == Absent || f.Carriers == Unseen && (f.BoundaryClosed || f.State == fsm.StateParentOwned)
}

// stoppable reports whether what is alive may be ended here: the kernel says that nobody holds the liveness lock, so that
// the owner looks after nothing, and what is seen is certain to be this lease's.
func (f Facts) stoppable() bool {
	return f.Lock == LockFree && f.Owner != Live && f.SameMachine && f.BootReliable && !f.anotherBoot()
}
