package book

import (
	"fmt"

	"containlease/fsm"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/model"
	"containlease/tools/leasedoc/internal/story"
)

func lifecycleDocument(runs []model.Run, found map[string]model.Result) string {
	p := newPage("The lifecycle of a containment lease", `Everything here is printed from the values that the program runs. The same, to look at and to click:
[index.html](index.html). For programs: [lifecycle.json](lifecycle.json). For operators: [runbook.md](runbook.md).`)
	p.proves()
	p.diagram()
	p.states()
	p.events()
	p.matrix()
	p.algorithm()
	p.crashes()
	p.decisions()
	p.errors()
	p.invariants(runs, found)
	p.heading("11. Assumptions and limits")
	p.points(explain.Limits)
	p.differences()
	return p.String()
}

func (p *page) points(points []explain.Point) {
	for _, x := range points {
		p.point("**%s.** %s", x.What, x.Text)
	}
}

func (p *page) proves() {
	p.heading("1. What a lease proves, and what not")
	p.say("A lease proves:\n")
	p.points(explain.Proves)
	p.say("\nIt does not prove:\n")
	p.points(explain.NotProves)
}

// Mermaid is the diagram's source. The names of states have hyphens, which Mermaid takes for arrows: each gets an alias.
func Mermaid() string {
	alias := map[fsm.State]string{}
	p := &page{}
	p.say("stateDiagram-v2\n    direction LR")
	for i, s := range fsm.States {
		alias[s] = fmt.Sprintf("s%d", i)
		p.say("    state \"%s\" as %s", s, alias[s])
	}
	p.say("    [*] --> %s", alias[fsm.StateAbsent])
	for _, r := range fsm.Table {
		p.say("    %s --> %s: %s", alias[r.From], alias[r.To], r.Event)
	}
	p.say("    %s --> [*]", alias[fsm.StateReleased])
	return p.String()
}

func (p *page) diagram() {
	p.heading("2. Diagram")
	p.say("```mermaid\n%s```\n\nThe same as a file: [lifecycle.svg](lifecycle.svg).", Mermaid())
}

func (p *page) states() {
	p.heading("3. States")
	var rows [][]string
	for _, s := range fsm.States {
		x := explain.States[s]
		rows = append(rows, []string{code(s), x.Means, x.Disk, x.Remove})
	}
	p.table([]string{"state", "means", "on disk", "who may remove"}, rows)
}

func (p *page) events() {
	p.heading("4. Events")
	p.say("Every event that is not refused is one arrow, and every arrow is one write.\n")
	var rows [][]string
	for _, r := range fsm.Table {
		rows = append(rows, []string{code(r.Event), code(r.From), code(r.To), code(r.Write), explain.HostRules[r.Host], r.Doc})
	}
	p.table([]string{"event", "from", "to", "write", "host", "means"}, rows)
	p.say("\nGuards and calls:\n")
	for _, ev := range fsm.Events {
		x := explain.Events[ev]
		p.point("%s, by %s, takes %s. %s", code(ev), code(x.Call), x.Takes, explain.Guard[ev])
	}
	p.say("\nWrites:\n")
	for _, w := range []fsm.Write{fsm.WriteCreate, fsm.WriteReplace, fsm.WriteRemove} {
		p.point("%s: %s.", code(w), explain.Writes[w])
	}
}

// Cell says what ev does in s: an arrow, a repeat or a refusal.
func Cell(s fsm.State, ev fsm.Event) string {
	if r, ok := fsm.Find(s, ev); ok {
		return "→ **" + string(r.To) + "**"
	}
	if class, refused := fsm.Refusal(s, ev); refused {
		return "✗ " + string(class)
	}
	return "repeat: nil, no write"
}

func (p *page) matrix() {
	p.heading("5. Every state and every event")
	head := []string{""}
	for _, ev := range fsm.Events {
		head = append(head, code(ev))
	}
	var rows [][]string
	for _, s := range fsm.States {
		row := []string{code(s)}
		for _, ev := range fsm.Events {
			row = append(row, Cell(s, ev))
		}
		rows = append(rows, row)
	}
	p.table(head, rows)
	p.say("\n✗ is a `*fsm.TransitionError` of that class; memory and disk stay as they are:\n")
	for _, c := range classes {
		p.point("%s: %s.", code(c), fsm.Classes[c])
	}
	p.say("\nA handle that is frozen (`lease.ErrUnsettled`), lost (`lease.ErrChanged`, `lease.ErrLostLock`) or closed (`lease.ErrClosed`) refuses before the table is asked.")
}

func (p *page) algorithm() {
	p.heading("6. One transition")
	p.say(`1. The handle's turn: events of one handle are made one at a time. The context is looked at once; a write once begun is brought to its end.
2. The table and the guard refuse, or let pass.`)
	for i, ph := range explain.Phases {
		p.say("%d. **%s**: %s", i+3, ph.Name, ph.What)
	}
	p.say("\nA write comes to one of %d outcomes:\n", len(explain.Outcomes))
	var rows [][]string
	for _, o := range explain.Outcomes {
		rows = append(rows, []string{o.Known, o.Memory, code(o.Name), o.Next})
	}
	p.table([]string{"known after the write", "memory", "error", "then"}, rows)
}

func (p *page) crashes() {
	p.heading("7. A crash at every step")
	p.say(`The verdict is the one that acquire, list, show and doctor give afterwards. "The doctor clears it" means that every process is proved
gone; "blocks until proof" that the plugin cannot start before. Where the owner alone is killed, its gate ends what is left and then itself.
The boundary is the subreaper, which everybody has and which proves least: in a control group or a PID namespace the kernel still knows when owner and
gate were killed. This is what the tables say; [crash-matrix.md](crash-matrix.md) is what was found when it was done, in every boundary.`)
	var told []story.Moment
	for _, s := range story.Stories() {
		p.sub(s.Name)
		shared := sharedBeginning(told, s.Moments)
		if shared > 0 {
			p.say("As above, up to: %s. Then:\n", s.Moments[shared-1].Title)
		}
		told = s.Moments
		var rows [][]string
		for _, m := range s.Moments[shared:] {
			disk := code(m.Disk)
			if m.Settled != m.Disk {
				disk += " (or " + code(m.Settled) + " after a power loss)"
			}
			rows = append(rows, append([]string{m.Title, disk, code(m.Memory)}, m.Fates()...))
		}
		p.table([]string{"crash after", "disk", "memory", "owner killed", "owner and gate killed", "power lost"}, rows)
	}
	p.say("\nWhat a step of a write leaves:\n")
	for _, ph := range explain.Phases {
		p.point("**%s**: %s", ph.Name, ph.Crash)
	}
}

// sharedBeginning counts the moments that two stories have in common before they part.
func sharedBeginning(a, b []story.Moment) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
