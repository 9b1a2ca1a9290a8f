package verdict_test

import (
	"iter"
	"testing"

	"containlease/fsm"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

var bools = []bool{false, true}

// states are those a lease file can hold; the empty one stands for v1.
var states = []fsm.State{"", fsm.StateParentOwned, fsm.StateHostStarting, fsm.StateHostActive,
	fsm.StateCleanupComplete, fsm.StateCleanupUnsafe}

// proof is what a boundary can be taken for, and what a look at all processes says.
type proof struct {
	empty, inhabited, closed bool
	carriers                 verdict.Sight
}

// proofs are all that decide differently.
var proofs = []proof{{}, {inhabited: true}, {empty: true}, {empty: true, closed: true},
	{empty: true, carriers: verdict.Absent}, {empty: true, closed: true, carriers: verdict.Seen},
	{carriers: verdict.Absent}, {carriers: verdict.Seen}}

// everything yields every combination of facts.
func everything() iter.Seq[verdict.Facts] {
	parts := []func(verdict.Facts, func(verdict.Facts)){
		each(states, func(f *verdict.Facts, s fsm.State) {
			f.State, f.Version = s, 2
			if s == "" {
				f.Version = 1
			}
		}),
		each(bools, func(f *verdict.Facts, b bool) { f.HostRecorded = b }),
		each([]verdict.Liveness{0, 1, 2}, func(f *verdict.Facts, l verdict.Liveness) { f.Owner = l }),
		each([]verdict.Liveness{0, 1, 2}, func(f *verdict.Facts, l verdict.Liveness) { f.Host = l }),
		each(bools, func(f *verdict.Facts, b bool) { f.OwnerBootCurrent = b }),
		each(bools, func(f *verdict.Facts, b bool) { f.HostBootCurrent = b }),
		each([]verdict.Lock{0, 1, 2, 3}, func(f *verdict.Facts, l verdict.Lock) { f.Lock = l }),
		each(bools, func(f *verdict.Facts, b bool) { f.SameMachine = b }),
		each(bools, func(f *verdict.Facts, b bool) { f.BootReliable = b }),
		each(bools, func(f *verdict.Facts, b bool) { f.Evidence = b }),
		each([]verdict.Place{0, 1, 2, 3}, func(f *verdict.Facts, p verdict.Place) { f.Place = p }),
		each([]string{"", "subreaper"}, func(f *verdict.Facts, k string) { f.Boundary = k }),
		each(proofs, func(f *verdict.Facts, p proof) {
			f.BoundaryEmpty, f.BoundaryInhabited, f.BoundaryClosed = p.empty, p.inhabited, p.closed
			f.Carriers = p.carriers
		}),
		each(bools, func(f *verdict.Facts, b bool) { f.SinglePIDNamespace = b }),
	}
	return func(yield func(verdict.Facts) bool) {
		more := true
		var walk func(i int, f verdict.Facts)
		walk = func(i int, f verdict.Facts) {
			switch {
			case !more:
			case i == len(parts):
				more = !possible(f) || yield(f)
			default:
				parts[i](f, func(f verdict.Facts) { walk(i+1, f) })
			}
		}
		walk(0, verdict.Facts{})
	}
}

// possible: a v1 and a parent-owned lease have no host, a host-starting and a host-active one always have.
func possible(f verdict.Facts) bool {
	switch f.State {
	case "", fsm.StateParentOwned:
		return !f.HostRecorded
	case fsm.StateHostStarting, fsm.StateHostActive:
		return f.HostRecorded
	}
	return true
}

func each[T any](values []T, set func(*verdict.Facts, T)) func(verdict.Facts, func(verdict.Facts)) {
	return func(f verdict.Facts, yield func(verdict.Facts)) {
		for _, v := range values {
			set(&f, v)
			yield(f)
		}
	}
}

// TestInvariants walks every combination of facts: what must never be said is never said.
func TestInvariants(t *testing.T) {
	rungs, deviations, n := map[string]bool{}, map[string]bool{}, 0
	for f := range everything() {
		n++
		v := verdict.Judge(f)
		rungs[v.Rule] = true
		host := f.HostRecorded && f.Host != verdict.Dead
		old := !f.OwnerBootCurrent && (!f.HostRecorded || !f.HostBootCurrent) || f.Place == verdict.PlaceGone
		check := func(ok bool, rule string) {
			if !ok {
				t.Fatalf("%s: %+v: %+v", rule, f, v)
			}
		}
		check(!v.Removable || f.Lock != verdict.LockHeld, "a held lock is never removed")
		check(!v.Removable || f.SameMachine && f.BootReliable, "what cannot be compared is never removed")
		check(!v.Removable || old || !host, "never removed while its host may live, on the same boot")
		check(!v.Removable || old || f.Place != verdict.PlaceOther, "never removed from another namespace, on the same boot")
		check(!v.Removable || old || f.Owner == verdict.Dead || v.Outcome == verdict.Abandoned, "a dead owner, or one that let go")
		risky := f.State == fsm.StateHostActive || f.State == fsm.StateCleanupUnsafe || f.Version == 1
		check(!v.Removable || old || !risky || f.BoundaryEmpty, "after the gate only the boundary's proof or a reboot clears")
		check(!v.Removable || old || !risky || f.Carriers != verdict.Seen, "never removed beside who carries the mark")
		check(!v.Removable || old || !risky || f.Carriers == verdict.Absent || f.BoundaryClosed, "unseen is not absent")
		check(v.Next != verdict.ActStop || f.Lock == verdict.LockFree && f.Owner != verdict.Live, "stop never meets an owner")
		check(v.Because != "" && (len(v.Missing) > 0 || v.Outcome == verdict.Active || v.Removable), "explained")
		if v.Admit(f.State) == verdict.Admitted {
			check(v.Outcome == verdict.Active || v.Outcome == verdict.Gone && f.State == fsm.StateCleanupComplete, "admission")
		}
		for _, m := range []verdict.Mode{verdict.Repair, verdict.Recover} {
			if d, differs := verdict.Deviates(m, f); differs {
				deviations[d.Name] = true
				check(d.Name != "UNLISTED", "an unlisted deviation")
			}
		}
	}
	t.Logf("%d combinations of facts", n)
	for _, r := range verdict.Ladder {
		require.True(t, rungs[r.Name], "rung %s decides nothing", r.Name)
	}
	for _, d := range verdict.Deviations[:len(verdict.Deviations)-2] {
		require.True(t, deviations[d.Name], "deviation %s is never seen", d.Name)
	}
}
