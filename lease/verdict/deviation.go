package verdict

import "containlease/fsm"

// Deviation is one way in which Strict differs from Original, with its reason.
type Deviation struct {
	Name string
	What string
	Why  string
	// holds says which facts it is about. Where two would, the first in Deviations is meant. nil: it is about records
	// that have no facts.
	holds func(Mode, Facts) bool
}

// Deviations lists every one. Tests hold both policies against each other on every combination of facts, and against
// the measured decisions, and allow exactly these. Treat it as a constant.
var Deviations = []Deviation{
	{"held-lock", "a held liveness lock is never removed, whatever the rest says",
		"it is the only proof of life that crosses namespaces",
		func(m Mode, f Facts) bool { return f.Lock == LockHeld && original(m, f) == Gone }},
	{"live-in-recovery", "a live host-active or cleanup-unsafe lease is active in recovery",
		"the original's doctor calls a healthy running invocation unknown and exits non-zero",
		func(m Mode, f Facts) bool {
			return m == Recover && original(m, f) == Uncertain && Judge(f).Outcome == Active
		}},
	{"held-is-active", "a held lock means active, even where the owner cannot be judged from here",
		"the kernel vouches for the owner across namespaces",
		func(m Mode, f Facts) bool { return f.Lock == LockHeld && original(m, f) == Uncertain }},
	{"contradiction", "a held lock whose owner is dead is unknown",
		"somebody else holds it: nothing may be concluded",
		func(m Mode, f Facts) bool { return f.Lock == LockHeld && f.Owner == Dead }},
	{"not-comparable", "other machine, unreliable boot id, other namespace, no evidence on the same boot, unreadable lock: unknown",
		"the original removes leases of live owners from another container",
		func(m Mode, f Facts) bool {
			return !f.SameMachine || !f.BootReliable || f.Place == PlaceOther || f.Lock == LockUnknown ||
				!f.Evidence && f.Owner != Live && !f.anotherBoot()
		}},
	{"earlier-boot", "everything of an earlier boot of this machine is gone",
		"a process does not survive its boot, whatever else could not be learned",
		func(m Mode, f Facts) bool { return f.anotherBoot() }},
	{"namespace-gone", "everything of a PID namespace that is no more is gone",
		"the kernel ends a namespace only with every process in it",
		func(m Mode, f Facts) bool { return f.Place == PlaceGone }},
	{"abandoned", "a free lock beside a live owner is abandoned: it blocks, and is judged like a dead owner's",
		"an owner that replaced itself by exec no longer looks after its host",
		func(m Mode, f Facts) bool { return f.Lock != LockHeld && f.Owner == Live }},
	{"orphan", "a dead owner with a live host blocks and is a finding",
		"the original admits a second invocation beside it, and starts to block when it dies",
		func(m Mode, f Facts) bool { return f.Owner == Dead && f.hostIs(Live) }},
	{"owner-unknown", "a live host whose owner cannot be judged is unknown",
		"nobody is known to look after it",
		func(m Mode, f Facts) bool { return f.Owner == Unknown && f.hostIs(Live) }},
	{"alive", "a process that is seen, in the boundary or by its mark, keeps the lease",
		"the original knows owner and host only, and removes beside what they left",
		func(m Mode, f Facts) bool { return f.alive() }},
	{"boundary-proof", "host-active and cleanup-unsafe become removable on the boundary's proof",
		"the original knows only a reboot: in containers and on CI that is stuck for ever",
		func(m Mode, f Facts) bool {
			return f.BoundaryEmpty && (f.State == fsm.StateHostActive || f.State == fsm.StateCleanupUnsafe)
		}},
	{"bounded-parent", "parent-owned with a boundary needs the boundary's proof",
		"helpers may live in it",
		func(m Mode, f Facts) bool { return f.State == fsm.StateParentOwned && f.bounded() }},
	{"newer-version", "a newer schemaVersion blocks only its own plugin",
		"the original lets one such file block every plugin; identity.pluginId keeps its place in all versions", nil},
	{"quarantine", "a malformed file can be set aside, bytes kept",
		"the original's message points to a doctor that never clears it", nil},
}

// Deviates returns the deviation that makes Strict differ from Original on these facts in this mode; ok is false where
// the two agree.
func Deviates(m Mode, f Facts) (d Deviation, ok bool) {
	if Strict.Decide(m, f) == Original.Decide(m, f) {
		return Deviation{}, false
	}
	for _, d := range Deviations {
		if d.holds != nil && d.holds(m, f) {
			return d, true
		}
	}
	return Deviation{Name: "UNLISTED"}, true
}
