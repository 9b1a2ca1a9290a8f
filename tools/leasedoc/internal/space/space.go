// Package space walks every combination of facts that a lease can show, to say what a rule of the ladder ever does.
package space

import (
	"slices"

	"containlease/fsm"
	"containlease/lease/verdict"
)

// Tally is what a rule was ever seen to say.
type Tally struct {
	Removed, Kept     bool // the doctor removes it; the doctor keeps it
	Admitted, Blocked bool // a second invocation
	Combinations      int
}

// Tallies judges everything once, by rule.
func Tallies() map[string]Tally {
	out := map[string]Tally{}
	walk(dimensions, verdict.Facts{SameMachine: true}, func(f verdict.Facts) {
		v := verdict.Judge(f)
		t := out[v.Rule]
		admitted := v.Admit(f.State) == verdict.Admitted
		out[v.Rule] = Tally{t.Removed || v.Removable, t.Kept || !v.Removable, t.Admitted || admitted, t.Blocked || !admitted, t.Combinations + 1}
	})
	return out
}

type dimension struct {
	size int
	set  func(f *verdict.Facts, i int)
}

var bounds = []string{"", "subreaper"}

var dimensions = []dimension{
	{len(fsm.States) - 1, func(f *verdict.Facts, i int) { f.Version, f.State = 2, states()[i]; f.Version -= b2i(f.State == "") }},
	{2, func(f *verdict.Facts, i int) {
		f.HostRecorded = i == 1 && f.Version == 2 && f.State != fsm.StateParentOwned
	}},
	{3, func(f *verdict.Facts, i int) { f.Owner = verdict.Liveness(i) }},
	{3, func(f *verdict.Facts, i int) { f.Host = verdict.Liveness(i) }},
	{2, func(f *verdict.Facts, i int) { f.OwnerBootCurrent, f.HostBootCurrent = i == 1, i == 1 }},
	{4, func(f *verdict.Facts, i int) { f.Lock = verdict.Lock(i) }},
	{2, func(f *verdict.Facts, i int) { f.SameMachine = i == 0 }},
	{2, func(f *verdict.Facts, i int) { f.BootReliable = i == 1 }},
	{2, func(f *verdict.Facts, i int) { f.Evidence = i == 1 }},
	{4, func(f *verdict.Facts, i int) { f.Place = verdict.Place(i) }},
	{2, func(f *verdict.Facts, i int) { f.Boundary = bounds[i] }},
	{4, func(f *verdict.Facts, i int) {
		f.BoundaryEmpty, f.BoundaryInhabited, f.BoundaryClosed = i == 1 || i == 2, i == 3, i == 2
	}},
	{3, func(f *verdict.Facts, i int) { f.Carriers = verdict.Sight(i) }},
	{2, func(f *verdict.Facts, i int) { f.SinglePIDNamespace = i == 1 }},
}

// states are those a lease file can hold; the empty one stands for v1.
func states() []fsm.State {
	in := slices.DeleteFunc(slices.Clone(fsm.States), func(s fsm.State) bool { return s == fsm.StateAbsent || s == fsm.StateReleased })
	return append(in, "")
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func walk(rest []dimension, f verdict.Facts, visit func(verdict.Facts)) {
	if len(rest) == 0 {
		visit(f)
		return
	}
	for i := range rest[0].size {
		g := f
		rest[0].set(&g, i)
		walk(rest[1:], g, visit)
	}
}
