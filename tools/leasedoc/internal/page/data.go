package page

import (
	"fmt"
	"slices"

	"containlease/fsm"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/story"
)

// entry is what the panel says of a state or an arrow: titled texts, and what a crash leaves.
type entry struct {
	Title   string      `json:"title"`
	Lead    string      `json:"lead"`
	Rows    [][2]string `json:"rows"`
	Crashes [][]string  `json:"crashes"` // a header row, then one row a step
}

type data struct {
	Entries    map[string]entry  `json:"entries"`
	Stories    []toldStory       `json:"stories"`
	Judgements []story.Judgement `json:"judgements"` // each once; moments point into it
	Words      map[string]string `json:"words"`      // outcomes and blocks, explained
	seen       map[string]int    `json:"-"`
}

type toldStory struct {
	Name    string `json:"name"`
	Moments []told `json:"moments"`
}

type told struct {
	story.Moment
	After map[string]int `json:"after"` // accident's key to judgement
}

func collect() data {
	d := data{Entries: map[string]entry{}, Words: map[string]string{}, seen: map[string]int{}}
	for _, s := range fsm.States {
		d.Entries["state:"+string(s)] = stateEntry(s)
	}
	for _, r := range fsm.Table {
		d.Entries["arrow:"+story.Key(r)] = arrowEntry(r)
	}
	for _, s := range story.Stories() {
		ts := toldStory{Name: s.Name}
		for _, m := range s.Moments {
			t := told{m, map[string]int{}}
			for _, a := range m.Accidents() {
				t.After[a.Key()] = d.keep(m.Judge(a))
			}
			ts.Moments = append(ts.Moments, t)
		}
		d.Stories = append(d.Stories, ts)
	}
	for o, text := range explain.Verdicts {
		d.Words[string(o)] = text
	}
	for b, text := range explain.Blocks {
		d.Words[string(b)] = text
	}
	return d
}

// keep returns the index of j, adding it once.
func (d *data) keep(j story.Judgement) int {
	key := fmt.Sprint(j)
	if _, ok := d.seen[key]; !ok {
		d.seen[key] = len(d.Judgements)
		d.Judgements = append(d.Judgements, j)
	}
	return d.seen[key]
}

func stateEntry(s fsm.State) entry {
	x := explain.States[s]
	e := entry{Title: string(s), Lead: x.Means, Rows: [][2]string{{"On disk", x.Disk}, {"Who may remove", x.Remove}}}
	for _, ev := range fsm.Events {
		row, arrow := fsm.Find(s, ev)
		class, refused := fsm.Refusal(s, ev)
		switch {
		case arrow:
			e.Rows = append(e.Rows, [2]string{string(ev), "leads to " + string(row.To)})
		case refused:
			e.Rows = append(e.Rows, [2]string{string(ev), fmt.Sprintf("refused, %s: %s", class, fsm.Classes[class])})
		default:
			e.Rows = append(e.Rows, [2]string{string(ev), "a repeat: nil, nothing is written"})
		}
	}
	return e
}

func arrowEntry(r fsm.Row) entry {
	e := entry{Title: fmt.Sprintf("%s: %s to %s", r.Event, r.From, r.To), Lead: r.Doc, Rows: [][2]string{
		{"Call", explain.Events[r.Event].Call},
		{"Guard", explain.Guard[r.Event]},
		{"Host", explain.HostRules[r.Host]},
		{"Write", string(r.Write) + ": " + explain.Writes[r.Write]},
	}}
	for _, o := range explain.Outcomes {
		e.Rows = append(e.Rows, [2]string{o.Name, fmt.Sprintf("%s; memory %s; %s", o.Known, o.Memory, o.Next)})
	}
	e.Rows = append(e.Rows, [2]string{"Who may remove", explain.States[r.To].Remove})
	e.Crashes = [][]string{{"Crash when", "On disk", "Owner killed", "Owner and gate killed", "Power lost"}}
	for _, m := range story.Write(r, before(r)) {
		e.Crashes = append(e.Crashes, append([]string{m.Title, string(m.Disk)}, m.Fates()...))
	}
	return e
}

// before is a moment from which r may be taken, as early in a story as possible.
func before(r fsm.Row) story.Moment {
	for _, s := range story.Stories() {
		i := slices.IndexFunc(s.Moments, func(m story.Moment) bool {
			return m.Memory == r.From && (m.Arrow == "" || m.Phase == "move")
		})
		if i >= 0 {
			return s.Moments[i]
		}
	}
	panic("page: no story comes to " + string(r.From))
}
