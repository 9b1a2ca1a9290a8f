package book

import (
	"fmt"
	"strings"

	"containlease/lease/verdict"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/model"
)

func (p *page) invariants(runs []model.Run, found map[string]model.Result) {
	p.heading("10. Invariants")
	var rows [][]string
	for _, i := range explain.Invariants {
		var tests []string
		for _, t := range i.Tests {
			tests = append(tests, fmt.Sprintf("[%s](../../%s)", t.Name, t.File))
		}
		rows = append(rows, []string{i.Name, i.Says, strings.Join(tests, ", "), "every run that must hold; broken, as it must be, by " + code(i.Breaks)})
	}
	p.table([]string{"", "promise", "tests", "model"}, rows)
	p.sub("Model runs")
	p.say("The model, [lease.pml](../model/lease.pml), has its table and decisions from the program's own, and a world written by hand. `make model` searches it exhaustively with Spin. A run that must hold checks I1 to I6 in every reachable state (that of the original's rules all but I1, which they break); a run that must break stops at the first violation.\n")
	if found == nil {
		p.say("**The model was changed since it was last checked: run `make model`.**\n")
	}
	rows = nil
	states, seconds := 0, 0.0
	for _, r := range runs {
		f, done := found[r.Name]
		row := []string{code(r.Name), r.About, r.Want, "not run", "", ""}
		if done {
			row = append(row[:3], f.Outcome, fmt.Sprint(f.States), fmt.Sprintf("%.1f s", f.Seconds))
			states, seconds = states+f.States, seconds+f.Seconds
		}
		rows = append(rows, row)
	}
	p.table([]string{"run", "about", "must", "found", "states", "time"}, rows)
	p.say("\nTogether %d states in %.0f s of search. Not modelled: a malformed or newer lease, a copied home, an untrusted boot id and v1 leases: the tests walk every combination of their facts.", states, seconds)
}

func (p *page) differences() {
	p.heading("12. Differences from the original program")
	p.points(explain.Differences)
	for _, d := range verdict.Deviations {
		p.point("**%s.** Here %s. Why: %s.", d.Name, d.What, d.Why)
	}
}
