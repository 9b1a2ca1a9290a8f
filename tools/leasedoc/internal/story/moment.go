// Package story walks through an invocation moment by moment and has it crash at each: what is then on the disk, who lives,
// and what the verdicts are. The arrows come from fsm.Table, the verdicts from package verdict; only what happens between
// the arrows is told here.
package story

import (
	"fmt"

	"containlease/fsm"
	"containlease/tools/leasedoc/internal/explain"
)

// Gate is where the gate of a moment stands.
type Gate string

// The gate's places.
const (
	NoGate Gate = "none"
	Shut   Gate = "shut"
	Open   Gate = "open"
	Killed Gate = "killed"
)

// Moment is a point between two steps: everything before it has happened, nothing after it.
type Moment struct {
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Arrow   string    `json:"arrow"`   // key of the arrow under way, or ""
	Phase   string    `json:"phase"`   // its last step, or ""
	Disk    fsm.State `json:"disk"`    // what everybody reads
	Settled fsm.State `json:"settled"` // what a power loss may bring back
	Memory  fsm.State `json:"memory"`  // what the handle says
	Gate    Gate      `json:"gate"`
	Plugin  bool      `json:"plugin"`  // a process of the plugin is alive
	Bounded bool      `json:"bounded"` // the boundary is on record
	Note    bool      `json:"note"`    // the boundary's proof is there
	Host    bool      `json:"host"`    // a host is on record
}

// Story is a named sequence of moments.
type Story struct {
	Name    string   `json:"name"`
	Moments []Moment `json:"moments"`
}

// Key names an arrow in every document.
func Key(r fsm.Row) string { return fmt.Sprintf("%s.%s", r.From, r.Event) }

// Stories returns the two: the end is proved, and the end cannot be proved.
func Stories() []Story {
	clean := begin()
	clean.scene("the plugin ends", "What it left behind is asked to end, and killed after the grace.", func(m *Moment) { m.Plugin = false })
	clean.scene("the gate leaves its note", "Its wait said that nothing is left. Only now is there a proof.", func(m *Moment) { m.Note = true })
	clean.scene("the gate ends", "It told the owner that the boundary is empty, closed the socket and ended: the owner's proof is whole.",
		func(m *Moment) { m.Gate = NoGate })
	clean.arrow(fsm.CleanupComplete)
	clean.arrow(fsm.Release)

	unsafe := begin()
	unsafe.scene("the gate is killed", "Somebody sends SIGKILL to the gate. The plugin dies with it, but what it started may live on.",
		func(m *Moment) { m.Gate = Killed })
	unsafe.arrow(fsm.CleanupUnsafe)
	return []Story{{"The end is proved", clean.moments}, {"The gate is killed", unsafe.moments}}
}

// begin tells what both stories share.
func begin() *teller {
	t := &teller{now: Moment{Disk: fsm.StateAbsent, Settled: fsm.StateAbsent, Memory: fsm.StateAbsent, Gate: NoGate}}
	t.scene("before", "The plugin is not running, and nothing blocks it.", func(*Moment) {})
	t.arrow(fsm.Acquire)
	t.scene("the gate starts", "The gate exists and waits. It becomes a subreaper: every orphan of the plugin will be its child.",
		func(m *Moment) { m.Gate = Shut })
	t.scene("the boundary is recorded", "The evidence beside the lease says what will enclose the plugin.", func(m *Moment) { m.Bounded = true })
	t.arrow(fsm.HostStarting)
	t.arrow(fsm.HostStarted)
	t.scene("the gate opens", "The owner sends one byte. An end of file would not open it.", func(m *Moment) { m.Gate = Open })
	t.scene("the plugin runs", "The plugin's code runs, and may start anything.", func(m *Moment) { m.Plugin = true })
	return t
}

type teller struct {
	now     Moment
	moments []Moment
}

func (t *teller) scene(title, text string, change func(*Moment)) {
	t.now.Title, t.now.Text, t.now.Arrow, t.now.Phase = title, text, "", ""
	change(&t.now)
	t.moments = append(t.moments, t.now)
}

// arrow takes the arrow of ev out of the present state, one moment a step.
func (t *teller) arrow(ev fsm.Event) {
	row, ok := fsm.Find(t.now.Memory, ev)
	if !ok {
		panic(fmt.Sprintf("story: the table has no %s out of %s", ev, t.now.Memory))
	}
	t.moments = append(t.moments, Write(row, t.now)...)
	t.now = t.moments[len(t.moments)-1]
}

// Write returns the moments of row's write that begins at m.
func Write(row fsm.Row, m Moment) []Moment {
	var out []Moment
	for _, p := range explain.Phases {
		m.Title, m.Text, m.Arrow, m.Phase = fmt.Sprintf("%s: %s", row.Event, p.Title), p.What, Key(row), p.Name
		switch p.Name {
		case "stage":
			if row.Write == fsm.WriteRemove {
				continue // a removal has no content to stage
			}
		case "publish":
			m.Disk = row.To
			m.Host = m.Host || row.Host == fsm.HostRecord
		case "settle":
			m.Settled = row.To
		case "move":
			m.Memory = row.To
		}
		out = append(out, m)
	}
	return out
}
