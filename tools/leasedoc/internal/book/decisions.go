package book

import (
	"fmt"

	"containlease/fsm"
	"containlease/lease/verdict"
)

// situation is a column of the decision tables: who lives, in everyday circumstances.
type situation struct {
	name string
	set  func(*verdict.Facts)
}

var situations = []situation{
	{"owner at work", func(f *verdict.Facts) { f.Owner, f.Lock = verdict.Live, verdict.LockHeld }},
	{"owner alive, let go", func(f *verdict.Facts) { f.Owner = verdict.Live }},
	{"owner dead, host alive", func(f *verdict.Facts) { f.Host = verdict.Live }},
	{"owner unknown", func(f *verdict.Facts) { f.Owner = verdict.Unknown }},
	{"owner dead, host unknown", func(f *verdict.Facts) { f.Host = verdict.Unknown }},
	{"both dead", func(*verdict.Facts) {}},
	{"both dead, boundary empty", func(f *verdict.Facts) { f.BoundaryEmpty = true }},
	{"an earlier boot", func(f *verdict.Facts) { f.OwnerBootCurrent, f.HostBootCurrent = false, false }},
}

// kept are the rows: each state that a lease file can hold, and a v1 lease.
var kept = []struct {
	name  string
	facts verdict.Facts
}{
	{"v1", verdict.Facts{Version: 1}},
	{"parent-owned", verdict.Facts{Version: 2, State: fsm.StateParentOwned}},
	{"host-starting", verdict.Facts{Version: 2, State: fsm.StateHostStarting, HostRecorded: true}},
	{"host-active", verdict.Facts{Version: 2, State: fsm.StateHostActive, HostRecorded: true}},
	{"cleanup-complete", verdict.Facts{Version: 2, State: fsm.StateCleanupComplete, HostRecorded: true}},
	{"cleanup-unsafe", verdict.Facts{Version: 2, State: fsm.StateCleanupUnsafe, HostRecorded: true}},
}

// everyday completes facts: this machine, the owner's namespace, evidence with a boundary, everybody dead.
func everyday(f verdict.Facts) verdict.Facts {
	f.Owner, f.Host, f.Lock, f.Place = verdict.Dead, verdict.Dead, verdict.LockFree, verdict.PlaceSame
	f.Carriers = verdict.Absent
	f.OwnerBootCurrent, f.HostBootCurrent, f.SameMachine, f.BootReliable, f.Evidence = true, true, true, true, true
	if f.Version == 2 {
		f.Boundary = "subreaper"
	}
	return f
}

func (p *page) decisions() {
	p.heading("8. Decisions")
	p.say("Two policies are complete in `lease/verdict`. **Strict** is what runs. **Original** is kept to be compared with what was measured on the original program. Each cell: may a second invocation start (admit or block), and what the doctor says (active, gone: it removes, unknown). Circumstances: this machine, the owner's own namespace, evidence present, a boundary on record; where nobody lives the lock is free.")
	for _, policy := range []verdict.Policy{verdict.Strict, verdict.Original} {
		p.sub("Policy " + string(policy))
		p.policy(policy)
	}
	p.ladder()
	p.deviations()
}

func (p *page) policy(policy verdict.Policy) {
	head := []string{"state"}
	for _, s := range situations {
		head = append(head, s.name)
	}
	var rows [][]string
	for _, k := range kept {
		row := []string{code(k.name)}
		for _, s := range situations {
			f := everyday(k.facts)
			s.set(&f)
			admit := "block"
			if policy.Admit(f) == verdict.Admitted {
				admit = "admit"
			}
			row = append(row, fmt.Sprintf("%s · %s", admit, policy.Decide(verdict.Recover, f)))
		}
		rows = append(rows, row)
	}
	p.table(head, rows)
}

func (p *page) ladder() {
	p.sub("The ladder of policy strict")
	p.say("The first rung that holds decides.\n")
	var rows [][]string
	for i, r := range verdict.Ladder {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprintf("[%s](runbook.md#%s)", r.Name, r.Name), r.When, string(r.Outcome), r.Because})
	}
	p.table([]string{"", "rung", "holds when", "outcome", "because"}, rows)
}

func (p *page) deviations() {
	p.sub("Deviations")
	p.say("Every way in which strict differs from original, with its reason. A test holds both policies against each other on every combination of facts.\n")
	var rows [][]string
	for _, d := range verdict.Deviations {
		rows = append(rows, []string{code(d.Name), d.What, d.Why})
	}
	p.table([]string{"deviation", "what", "why"}, rows)
}
