package book

import (
	"encoding/json"

	"containlease/fsm"
	"containlease/lease/verdict"
	"containlease/tools/cli"
	"containlease/tools/leasedoc/internal/explain"
)

// The lifecycle for programs. Its shape is schema/lifecycle-v1.schema.json.
type machine struct {
	Schema     string         `json:"schema"`
	States     []stateRow     `json:"states"`
	Arrows     []arrowRow     `json:"arrows"`
	Repeats    []pair         `json:"repeats"`
	Refusals   []refusalRow   `json:"refusals"`
	Ladder     []rungRow      `json:"ladder"`
	Deviations []deviationRow `json:"deviations"`
	Errors     []errorRow     `json:"errors"`
	ExitCodes  []exitRow      `json:"exitCodes"`
	Invariants []invariantRow `json:"invariants"`
}

type (
	stateRow struct {
		Name     string `json:"name"`
		Means    string `json:"means"`
		WhoMay   string `json:"whoMayRemove"`
		HasAFile bool   `json:"hasFile"`
	}
	pair struct {
		Event string `json:"event"`
		State string `json:"state"`
	}
	arrowRow struct {
		Event string `json:"event"`
		From  string `json:"from"`
		To    string `json:"to"`
		Write string `json:"write"`
		Host  string `json:"host"`
		Means string `json:"means"`
	}
	refusalRow struct {
		pair
		Class string `json:"class"`
		ToDo  string `json:"toDo"`
	}
	rungRow struct {
		Rule    string   `json:"rule"`
		When    string   `json:"when"`
		Outcome string   `json:"outcome"`
		Because string   `json:"because"`
		Missing []string `json:"missing"`
		Next    string   `json:"next"`
	}
	deviationRow struct {
		Name string `json:"name"`
		What string `json:"what"`
		Why  string `json:"why"`
	}
	errorRow struct {
		Name string `json:"name"`
		Text string `json:"text"`
		Exit int    `json:"exit"`
	}
	exitRow struct {
		Code    int    `json:"code"`
		Name    string `json:"name"`
		Meaning string `json:"meaning"`
	}
	invariantRow struct {
		Name string `json:"name"`
		Says string `json:"says"`
	}
)

func lifecycleJSON() ([]byte, error) {
	m := machine{Schema: "containlease/lifecycle-v1"}
	m.addLifecycle()
	m.addDecisions()
	for _, e := range explain.Errors {
		m.Errors = append(m.Errors, errorRow{e.Name, e.Err.Error(), cli.ExitOf(e.Err).Code})
	}
	for _, e := range cli.Exits {
		m.ExitCodes = append(m.ExitCodes, exitRow(e))
	}
	for _, i := range explain.Invariants {
		m.Invariants = append(m.Invariants, invariantRow{i.Name, i.Says})
	}
	b, err := json.MarshalIndent(m, "", "  ")
	return append(b, '\n'), err
}

func (m *machine) addLifecycle() {
	for _, s := range fsm.States {
		x := explain.States[s]
		m.States = append(m.States, stateRow{string(s), x.Means, x.Remove, s != fsm.StateAbsent && s != fsm.StateReleased})
		for _, ev := range fsm.Events {
			if class, refused := fsm.Refusal(s, ev); refused {
				m.Refusals = append(m.Refusals, refusalRow{pair{string(ev), string(s)}, string(class), fsm.Classes[class]})
			}
		}
	}
	for _, r := range fsm.Table {
		m.Arrows = append(m.Arrows, arrowRow{string(r.Event), string(r.From), string(r.To), string(r.Write), string(r.Host), r.Doc})
	}
	for _, r := range fsm.NoOps {
		m.Repeats = append(m.Repeats, pair{string(r.Event), string(r.From)})
	}
}

// commandOf is what an operator types at a rung.
func commandOf(r verdict.Rung) string {
	act := r.Next
	if act == "" {
		act = verdict.ActClear
	}
	return "containlease " + cli.CommandFor(act, "ID", "DIGEST")
}

func (m *machine) addDecisions() {
	for _, r := range verdict.Ladder {
		m.Ladder = append(m.Ladder, rungRow{r.Name, r.When, string(r.Outcome), r.Because, append([]string{}, r.Missing...), commandOf(r)})
	}
	for _, d := range verdict.Deviations {
		m.Deviations = append(m.Deviations, deviationRow{d.Name, d.What, d.Why})
	}
}
