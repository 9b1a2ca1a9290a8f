package book

import (
	"strings"

	"containlease/lease/verdict"
	"containlease/persist/file"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/space"
)

func runbookDocument() string {
	p := newPage("Runbook", `One section for each finding of `+"`containlease doctor`"+`, by the name of the rule that `+"`list`, `show` and `doctor`"+` print.
The verdict is the same in all of them, and in acquire. Nothing is ever cleared for its age. Where something of the invocation is seen alive and
nobody holds its lock, the command is `+"`containlease stop ID`"+` instead, whatever the finding: it ends what is left, each process proved to be the invocation's at that
moment, and clears the lease if that proves the end. Commands name the home and stay safe: typed later, they act on what is true then, or refuse.`)
	p.say("\n| finding | outcome | the doctor clears it |\n| --- | --- | --- |")
	for _, f := range findings() {
		p.say("| [%s](#%s) | %s | %s |", f.Name, f.Name, f.Outcome, f.clears())
	}
	for _, f := range findings() {
		p.finding(f)
	}
	return p.String()
}

// finding is one rule with what walking every combination of facts says of it.
type finding struct {
	verdict.Rung
	space.Tally
}

// findings are the rungs, and the two verdicts on what is no lease of a known version.
func findings() []finding {
	tallies := space.Tallies()
	var out []finding
	for _, r := range verdict.Ladder {
		out = append(out, finding{r, tallies[r.Name]})
	}
	for _, v := range []verdict.Verdict{
		verdict.OfMalformed("the record is no lease: its bytes break the schema, or it is not a private regular file"),
		verdict.OfNewer("its schemaVersion is newer than this program knows"),
	} {
		out = append(out, finding{verdict.Rung{Name: v.Rule, When: v.Because, Outcome: v.Outcome, Because: v.Because, Missing: v.Missing, Next: v.Next},
			space.Tally{Kept: true, Blocked: v.Admit("") != verdict.Admitted}})
	}
	return out
}

func (f finding) clears() string {
	switch {
	case f.Removed && f.Kept:
		return "sometimes"
	case f.Removed:
		return "yes"
	}
	return "no"
}

func (f finding) blocks() string {
	switch {
	case f.Blocked && f.Admitted:
		return "in some states"
	case f.Blocked && f.Outcome == verdict.Malformed:
		return "yes, and every other plugin too"
	case f.Blocked:
		return "yes"
	}
	return "no"
}

func (p *page) finding(f finding) {
	missing := "nothing"
	if len(f.Missing) > 0 {
		missing = strings.Join(f.Missing, ", or ")
	}
	p.heading(f.Name)
	p.point("**Outcome**: %s: %s.", f.Outcome, explain.Verdicts[f.Outcome])
	p.point("**Means**: %s.", f.Because)
	p.point("**Holds when**: %s.", f.When)
	p.point("**Missing proof**: %s.", missing)
	p.point("**Command**: %s", code(commandOf(f.Rung)))
	p.point("**Blocks its plugin**: %s.", f.blocks())
	p.point("**The doctor clears it**: %s.", f.clears())
	p.point("**Do**: %s", explain.Actions[f.Name])
}

func platformsDocument() string {
	p := newPage("Platforms", "What can be proved where. What cannot be proved is said to be unknown; `containlease version` says what holds on the machine at hand.")
	p.heading("Systems")
	var rows [][]string
	for _, x := range explain.Platforms {
		rows = append(rows, []string{x.GOOS, x.Identity, x.Home, x.End, x.Tested, x.Ran})
	}
	p.table([]string{"system", "identity of a process", "a home", "proof of the end", "checked by", "run on"}, rows)
	p.say("\nThe packages %s have no file for one system only: their tests, run on Linux, are about all systems. All other code for another "+
		"system was read by a compiler and by nobody's processor. Job control at a terminal is Linux's, like `run` itself.", code(strings.Join(explain.Pure, "`, `")))
	p.heading("Power cuts")
	rows = nil
	for _, g := range file.Grounds() {
		rows = append(rows, []string{code(g.Filesystem), explain.Cuts[string(g.PowerCuts)]})
	}
	p.table([]string{"file system, on Linux", "power cuts"}, rows)
	p.say("\nA home on any other file system is refused for writing unless that is asked for. `containlease version` says what yours lies on.")
	p.heading("Boundaries")
	rows = nil
	for _, k := range boundaryKinds() {
		b := explain.Boundaries[k]
		rows = append(rows, []string{code(k), yes(b.Built), b.Proof, b.Limits})
	}
	p.table([]string{"boundary", "offered here", "proof that all are gone", "limits"}, rows)
	p.heading("Limits")
	p.points(explain.Limits)
	p.say("\nThe rules behind this are in [lifecycle.md](lifecycle.md#8-decisions).")
	return p.String()
}
