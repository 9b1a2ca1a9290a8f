package verdict

import "containlease/fsm"

// Rung is one row of a decision table: the first row whose condition holds decides.
type Rung struct {
	Name    string
	When    string // the condition, for reviewers
	Outcome Outcome
	Because string   // what it means, for the operator
	Missing []string // what would prove more
	Next    string   // the command to type next; "" means NextClear
	Stop    Target   // whose end is asked for before it, where that one is proved to be alive
	proof   bool     // the proof of the boundary may still come: then NextClear goes before Next
	holds   func(Facts) bool
	removes func(Facts) bool // nil: removable exactly if the outcome is Gone
}

func first(rungs []Rung, f Facts) Verdict {
	for _, r := range rungs {
		if !r.holds(f) {
			continue
		}
		v := Verdict{Outcome: r.Outcome, Rule: r.Name, Because: r.Because, Removable: r.Outcome == Gone,
			Missing: r.Missing, Next: r.Next}
		if v.Next == "" || r.proof && f.provable() {
			v.Next = NextClear
		}
		if v.Stop = f.stop(r.Stop); v.Stop != "" {
			v.Next = NextStopped
		}
		if r.removes != nil {
			v.Removable = r.removes(f)
		}
		return v
	}
	panic("verdict: the last rung of a ladder always holds")
}

// Next commands, without the program's name and --home. {lease} stands for the lease's id, or the stored name of what is no
// lease, and {digest} for the digest of its bytes, both as words for a shell. In a missing proof {owner}, {host} and
// {carrier}, who has the lease in its environment, stand for their pids. A reason is what whoever types the command vouches for; it
// goes into the audit.
const (
	NextClear    = "doctor --apply"                    // clears it as soon as the missing proof is there
	NextStopped  = "doctor {lease} --apply --wait 30s" // clears it once what was stopped has ended
	NextLook     = "show {lease}"                      // nothing to be done but to look
	NextVouch    = "doctor --single-pid-namespace --apply"
	NextRetire   = "retire {lease} --digest {digest} --reason 'I have checked that nothing of it runs any more'"
	NextSetAside = "quarantine --digest {digest} --reason 'I have checked that it is no lease at work' -- {lease}"
	NextAdopt    = "adopt --reason 'this home was moved here, and nothing of it runs elsewhere'"
)

const (
	wantReboot    = "a reboot of this machine"
	wantWord      = "the operator's word that nothing of it runs"
	wantOwnersEnd = "the end of the owner, pid {owner}"
	wantEmpty     = "the boundary's own proof that it is empty"
)

// Ladder is policy Strict. Treat it as a constant.
var Ladder = append([]Rung{
	{Name: "lock-held-owner-dead", Next: NextLook, Outcome: Uncertain,
		When:    "the liveness lock is held, and the recorded owner is dead as seen from its own namespace",
		Because: "somebody holds the liveness lock, but not the owner on record: a doctor at work, or a contradiction",
		Missing: []string{"the release of the liveness lock"},
		holds:   func(f Facts) bool { return f.Lock == LockHeld && f.Owner == Dead && f.Place != PlaceOther }},
	{Name: "unsafe-lock-held", Next: NextLook, Stop: TargetOwner, Outcome: Active,
		When:    "cleanup-unsafe, and the liveness lock is held",
		Because: "its owner could not prove that everything is gone, and is alive: while it is, nobody else can prove it",
		Missing: []string{wantOwnersEnd},
		holds:   func(f Facts) bool { return f.Lock == LockHeld && f.State == fsm.StateCleanupUnsafe }},
	{Name: "lock-held", Next: NextLook, Outcome: Active,
		When:    "the liveness lock is held",
		Because: "the owner holds its liveness lock: the one proof of life that crosses namespaces",
		holds:   func(f Facts) bool { return f.Lock == LockHeld }},
	{Name: "lock-unknown", Outcome: Uncertain,
		When:    "the liveness lock could not be probed",
		Because: "the liveness lock could not be probed, so the owner may be alive",
		Missing: []string{"leave to open the lease's lock file"},
		holds:   func(f Facts) bool { return f.Lock == LockUnknown }},
	{Name: "other-machine", Next: NextAdopt, Outcome: Uncertain,
		When:    "the home belongs to another machine",
		Because: "this home was made on another machine, or was copied: its process numbers mean nothing here",
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
	{Name: "other-namespace", Next: NextRetire, Outcome: Uncertain,
		When:    "the owner ran in another PID or time namespace",
		Because: "the owner ran in another PID or time namespace: its process numbers mean nothing here",
		Missing: []string{"the same question, asked in the owner's namespace", wantReboot, wantWord},
		holds:   func(f Facts) bool { return f.Place == PlaceOther }},
	{Name: "unsafe-owner-alive", Next: NextLook, Stop: TargetOwner, Outcome: Active,
		When:    "cleanup-unsafe, there is no liveness lock, and the recorded owner is exactly alive",
		Because: "its owner (another program) could not prove that everything is gone, and is alive: while it is, nobody else can prove it",
		Missing: []string{wantOwnersEnd},
		holds: func(f Facts) bool {
			return f.Lock == LockMissing && f.Owner == Live && f.State == fsm.StateCleanupUnsafe
		}},
	{Name: "owner-alive", Next: NextLook, Outcome: Active,
		When:    "there is no liveness lock, and the recorded owner is exactly alive",
		Because: "the owner on record is alive; it keeps no liveness lock (another program's lease)",
		holds:   func(f Facts) bool { return f.Lock == LockMissing && f.Owner == Live }},
	{Name: "no-evidence", Next: NextVouch, Outcome: Uncertain,
		When:    "there is no evidence on the same boot, and no word that there is a single PID namespace",
		Because: "nothing tells in which PID namespace the owner ran, so its absence here proves nothing",
		Missing: []string{"the operator's word --single-pid-namespace", wantReboot},
		holds:   func(f Facts) bool { return !f.Evidence && !f.SinglePIDNamespace && f.Owner != Live }},
	{Name: "abandoned", Outcome: Abandoned,
		When:    "the liveness lock is free, and the recorded owner is alive",
		Because: "the owner is alive but let go of its liveness lock: it replaced itself by exec, and looks after nothing",
		Missing: []string{wantOwnersEnd},
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
		Missing: []string{"leave to look at the host's process"},
		holds:   func(f Facts) bool { return f.hostIs(Unknown) }},
	{Name: "orphan", Stop: TargetHost, Outcome: Orphan,
		When:    "the owner is dead, and the recorded host is exactly alive",
		Because: "the owner is dead and its host is alive",
		Missing: []string{"the end of the host, pid {host}, and " + wantEmpty},
		holds:   func(f Facts) bool { return f.hostIs(Live) }},
}, settled...)

// settled is the foot of the ladder: neither owner nor host is alive; what of the processes between them?
var settled = []Rung{
	{Name: "legacy", Next: NextRetire, Outcome: Uncertain,
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
	{Name: "boundary-empty", Outcome: Gone,
		When:    "the boundary's proof is there",
		Because: "the boundary that enclosed the invocation is proved empty",
		holds:   func(f Facts) bool { return f.BoundaryEmpty }},
	{Name: "mark-seen", Next: NextRetire, Outcome: Uncertain,
		When:    "the boundary's proof is there, and so is a process that has the lease in its environment",
		Because: "the boundary is empty, but a process is alive that the plugin started, or that has a copy of its environment",
		Missing: []string{"the end of that process, pid {carrier}", wantReboot, wantWord},
		holds:   func(f Facts) bool { return f.BoundaryCarried }},
	{Name: "no-proof", Next: NextRetire, Stop: TargetHost, proof: true, Outcome: Uncertain,
		When:    "host-active, cleanup-unsafe, or parent-owned with a boundary or with its evidence lost; without the boundary's proof",
		Because: "owner and host are dead, but the plugin may have left processes behind",
		Missing: []string{wantEmpty, wantReboot, wantWord},
		holds:   func(Facts) bool { return true }},
}
