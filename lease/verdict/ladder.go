package verdict

import (
	"slices"
	"strings"

	"containlease/fsm"
)

// Rung is one row of a decision table: the first row whose condition holds decides. In what is missing {owner} stands for
// the owner's pid, and {alive} for all who are seen alive, with theirs.
type Rung struct {
	Name    string
	When    string // the condition, for reviewers
	Outcome Outcome
	Because string   // what it means, for the operator
	Missing []string // what would prove more
	Next    Action   // what to do next; "" means ActClear
	holds   func(Facts) bool
	removes func(Facts) bool     // nil: removable exactly if the outcome is Gone
	missing func(Facts) []string // nil: Missing
}

func first(rungs []Rung, f Facts) Verdict {
	for _, r := range rungs {
		if r.holds(f) {
			return r.verdict(f)
		}
	}
	panic("verdict: the last rung of a ladder always holds")
}

func (r Rung) verdict(f Facts) Verdict {
	v := Verdict{Outcome: r.Outcome, Rule: r.Name, Because: r.Because, Removable: r.Outcome == Gone,
		Missing: r.Missing, Next: r.Next}
	if r.removes != nil {
		v.Removable = r.removes(f)
	}
	if r.missing != nil {
		v.Missing = r.missing(f)
	}
	switch {
	case v.Outcome != Active && v.Outcome != Gone && f.alive() && f.stoppable():
		v.Next = ActStop // whatever the rung: first of all it has to end
		v.Missing = namingTheLiving(v.Missing)
	case v.Next == "", v.Removable:
		v.Next = ActClear
	}
	return v
}

// Provisional reports whether a look at all processes may still change the verdict: where no end is proved, and where the
// proof is a boundary's, which somebody may have left.
func (v Verdict) Provisional() bool {
	return v.Outcome != Active && (v.Outcome != Gone || v.Rule == boundaryEmpty)
}

const boundaryEmpty = "boundary-empty"

// namingTheLiving puts the end of who is seen alive before the proofs that a rung misses anyway.
func namingTheLiving(missing []string) []string {
	if slices.ContainsFunc(missing, func(m string) bool { return strings.Contains(m, "{alive}") }) {
		return missing
	}
	return append([]string{wantAliveEnd}, missing...)
}

const (
	wantReboot    = "a reboot of this machine"
	wantWord      = "the operator's word that nothing of it runs"
	wantOwnersEnd = "the end of the owner, pid {owner}"
	wantEmpty     = "the boundary's own proof that it is empty"
	wantAliveEnd  = "the end of {alive}"
)

// Ladder is policy Strict. Treat it as a constant.
var Ladder = append([]Rung{
	{Name: "lock-held-owner-dead", Next: ActLook, Outcome: Uncertain,
		When:    "the liveness lock is held, and the recorded owner is dead as seen from its own namespace",
		Because: "somebody holds the liveness lock, but not the owner on record: a doctor at work, or a contradiction",
		Missing: []string{"the release of the liveness lock"},
		holds:   func(f Facts) bool { return f.Lock == LockHeld && f.Owner == Dead && f.Place != PlaceOther }},
	{Name: "unsafe-lock-held", Outcome: Active,
		When: "cleanup-unsafe, and the liveness lock is held",
		Because: "its owner could not prove that everything is gone, and is alive: " +
			"while it is, nobody else can prove it",
		Missing: []string{wantOwnersEnd},
		holds:   func(f Facts) bool { return f.Lock == LockHeld && f.State == fsm.StateCleanupUnsafe }},
	{Name: "lock-held", Next: ActLook, Outcome: Active,
		When:    "the liveness lock is held",
		Because: "the owner holds its liveness lock: the one proof of life that crosses namespaces",
		holds:   func(f Facts) bool { return f.Lock == LockHeld }},
	{Name: "lock-unknown", Outcome: Uncertain,
		When:    "the liveness lock could not be probed",
		Because: "the liveness lock could not be probed, so the owner may be alive",
		Missing: []string{"leave to open the lease's lock file"},
		holds:   func(f Facts) bool { return f.Lock == LockUnknown }},
	{Name: "other-machine", Next: ActAdopt, Outcome: Uncertain,
		When: "the home belongs to another machine",
		Because: "this home was made on another machine, or was copied: " +
			"its process numbers mean nothing here",
		Missing: []string{"the machine that wrote it", "the operator's word that the home was moved here"},
		holds:   func(f Facts) bool { return !f.SameMachine }},
	{Name: "boot-unreliable", Outcome: Uncertain,
		When:    "the present boot's id cannot be trusted",
		Because: "the id of the present boot cannot be trusted here, so no process identity can be compared",
		Missing: []string{"a genuine /proc with a boot id"},
		holds:   func(f Facts) bool { return !f.BootReliable }},
	{Name: "another-boot", Outcome: Gone,
		When:    "everything on record belongs to an earlier boot of this machine",
		Because: "the machine was rebooted since: nothing of the invocation can have survived",
		holds:   Facts.anotherBoot},
	{Name: "namespace-gone", Outcome: Gone,
		When: "the owner's PID namespace is no more, as the kernel says of its id, which is never given twice",
		Because: "the PID namespace that the owner ran in has ended (the container is gone), " +
			"and with it every process in it and below",
		holds: func(f Facts) bool { return f.Place == PlaceGone }},
	{Name: "other-namespace", Next: ActRetire, Outcome: Uncertain,
		When:    "the owner ran in another PID or time namespace",
		Because: "the owner ran in another PID or time namespace: its process numbers mean nothing here",
		Missing: []string{"the same question, asked in the owner's namespace", wantReboot, wantWord},
		holds:   func(f Facts) bool { return f.Place == PlaceOther }},
	{Name: "unsafe-owner-alive", Outcome: Active,
		When: "cleanup-unsafe, there is no liveness lock, and the recorded owner is exactly alive",
		Because: "its owner (another program) could not prove that everything is gone, and is alive: " +
			"while it is, nobody else can prove it",
		Missing: []string{wantOwnersEnd},
		holds: func(f Facts) bool {
			return f.Lock == LockMissing && f.Owner == Live && f.State == fsm.StateCleanupUnsafe
		}},
	{Name: "owner-alive", Next: ActLook, Outcome: Active,
		When:    "there is no liveness lock, and the recorded owner is exactly alive",
		Because: "the owner on record is alive; it keeps no liveness lock (another program's lease)",
		holds:   func(f Facts) bool { return f.Lock == LockMissing && f.Owner == Live }},
	{Name: "no-evidence", Next: ActVouch, Outcome: Uncertain,
		When:    "there is no evidence on the same boot, and no word that there is a single PID namespace",
		Because: "nothing tells in which PID namespace the owner ran, so its absence here proves nothing",
		Missing: []string{"the operator's word that all users of the home share one PID namespace", wantReboot},
		holds:   func(f Facts) bool { return !f.Evidence && !f.SinglePIDNamespace && f.Owner != Live }},
	{Name: "abandoned", Outcome: Abandoned,
		When:    "the liveness lock is free, and the recorded owner is alive",
		Because: "the owner let go of its liveness lock: it is another program now (exec), and looks after nothing",
		Missing: []string{"what would be missing if the owner were dead: its end is not needed"},
		missing: missingWithoutOwner,
		holds:   func(f Facts) bool { return f.Owner == Live },
		removes: func(f Facts) bool {
			return !f.hostIs(Live) && !f.hostIs(Unknown) && first(settled, f).Outcome == Gone
		}},
	{Name: "owner-unknown", Outcome: Uncertain,
		When:    "it cannot be told whether the owner is alive",
		Because: "it cannot be told from here whether the owner is alive",
		Missing: []string{"leave to look at the owner's process"},
		holds:   func(f Facts) bool { return f.Owner == Unknown }},
	{Name: "host-unknown", Outcome: Uncertain,
		When:    "it cannot be told whether the host is alive",
		Because: "it cannot be told from here whether the host is alive",
		Missing: []string{wantHost},
		holds:   func(f Facts) bool { return f.hostIs(Unknown) }},
	{Name: "orphan", Outcome: Orphan,
		When:    "the owner is dead, and the recorded host is exactly alive",
		Because: "the owner is dead and its host is alive",
		Missing: []string{wantHostsEnd},
		holds:   func(f Facts) bool { return f.hostIs(Live) }},
}, settled...)

const (
	wantHost     = "leave to look at the host's process"
	wantHostsEnd = wantAliveEnd + ", and " + wantEmpty
)

// missingWithoutOwner is what an abandoned lease lacks. Its owner's end is no part of it.
func missingWithoutOwner(f Facts) []string {
	switch {
	case f.hostIs(Live):
		return []string{wantHostsEnd}
	case f.hostIs(Unknown):
		return []string{wantHost}
	}
	return first(settled, f).Missing
}

// settled is the foot of the ladder: neither owner nor host is alive; what of the processes between them?
var settled = []Rung{
	{Name: "legacy", Next: ActRetire, Outcome: Uncertain,
		When:    "a v1 lease, on the same boot",
		Because: "a v1 lease does not say how far its invocation came",
		Missing: []string{wantReboot, wantWord},
		holds:   func(f Facts) bool { return f.Version == 1 }},
	{Name: "complete", Outcome: Gone,
		When:    "cleanup-complete",
		Because: "the owner had proved that every process was gone, and ended before it removed the record",
		holds:   func(f Facts) bool { return f.State == fsm.StateCleanupComplete }},
	{Name: "gate-never-opened", Outcome: Gone,
		When:    "host-starting, and the host is dead",
		Because: "the host is dead and its gate was never opened: none of the plugin's code has run",
		holds:   func(f Facts) bool { return f.State == fsm.StateHostStarting }},
	{Name: "never-started", Outcome: Gone,
		When:    "parent-owned, and known to have had no boundary: the evidence says so, or the owner never kept any",
		Because: "the owner ended before it made a host",
		holds:   func(f Facts) bool { return f.State == fsm.StateParentOwned && f.unbounded() }},
	{Name: "occupied", Outcome: Orphan,
		When:    "owner and host are dead, and the boundary's own account is that somebody is in it",
		Because: "owner and host are dead, and processes of it live on in its boundary",
		Missing: []string{wantAliveEnd},
		holds:   func(f Facts) bool { return f.BoundaryInhabited }},
	{Name: "mark-seen", Next: ActRetire, Outcome: Uncertain,
		When: "a process is seen that has the lease in its environment",
		Because: "a process is alive that the plugin started, or that has a copy of its environment: " +
			"it has the lease in it",
		Missing: []string{wantAliveEnd, wantReboot},
		holds:   func(f Facts) bool { return f.Carriers == Seen }},
	{Name: boundaryEmpty, Outcome: Gone,
		When: "the boundary's proof is there, and of all processes nobody has the lease in the environment; " +
			"or the proof is about those too who left the boundary, and nobody is seen",
		Because: "the boundary that enclosed the invocation is proved empty",
		holds:   func(f Facts) bool { return f.BoundaryEmpty && f.settledByLook() }},
	{Name: "somebody-unseen", Next: ActRetire, Outcome: Uncertain,
		When: "the boundary is proved empty, but not of those who left it, and not everybody could be looked at",
		Because: "the boundary is empty, but its gate was killed, and there are processes that may not be looked at " +
			"from here: one of them may have left the boundary",
		Missing: []string{"leave to look at every process (root has it)", wantReboot, wantWord},
		holds:   func(f Facts) bool { return f.BoundaryEmpty }},
	{Name: "no-proof", Next: ActRetire, Outcome: Uncertain,
		When: "host-active, cleanup-unsafe, or parent-owned with a boundary or with its evidence lost; " +
			"without the boundary's proof",
		Because: "owner and host are dead, but the plugin may have left processes behind",
		Missing: []string{wantEmpty, wantReboot, wantWord},
		holds:   func(Facts) bool { return true }},
}
