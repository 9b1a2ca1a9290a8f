package book

import (
	"fmt"
	"slices"

	"containlease/tools/leasedoc/internal/crashes"
)

// everyVictim is who may be killed, in the order of the columns. There is no front where the owner starts the gate itself.
var everyVictim = []string{"owner", "front", "gate", "plugin", "all"}

// victimsOf are the columns of a table.
func victimsOf(cells []crashes.Cell) []string {
	return slices.DeleteFunc(slices.Clone(everyVictim), func(who string) bool {
		return !slices.ContainsFunc(cells, func(c crashes.Cell) bool { return c.Killed == who })
	})
}

// crashDocument writes the crash matrix as it was measured.
func crashDocument(cells []crashes.Cell) string {
	p := newPage("The crash matrix", `Owner, front, gate, plugin, or all of them are killed by SIGKILL at every step of a run, in every boundary. Nothing here is reasoned: a test of
lease/host (TestCrashMatrix) makes every cell anew with real processes and fails if one has changed. What the tables promise is in
[lifecycle.md](lifecycle.md#7-a-crash-at-every-step); a test holds both against each other.`)
	if len(cells) == 0 {
		p.say("\nNot measured: run `go test -run TestCrashMatrix ./lease/host -update` as root on Linux, and then `make gen`.")
		return p.String()
	}
	groups := groupCells(cells)
	p.crashReading(len(cells), groups[0])
	for _, g := range groups {
		p.heading(fmt.Sprintf("%s: %s", g[0].Boundary, g[0].Story))
		p.crashTable(g)
	}
	p.crashLimits()
	return p.String()
}

func (p *page) crashReading(cells int, whole []crashes.Cell) {
	p.say(`
There are %d cells. Everybody waits at every step, so each kill is at exactly that moment; "all" are stopped before the first is killed, so that
none sees another's end. The plugin has left a child in a session of its own that ignores TERM. Then everybody who lives goes on
as far as they can, and the home is looked at. A cell says:

- what the **disk** says (absent: there is no lease);
- who is **alive**, if anybody is: only ever the child. Owner, front and gate have always ended;
- the **verdict** with its rule, the same from acquire, list, show and doctor, and what acquire does about it;
- what **clears** it, found out by doing it: after a reboot (an injected boot id) everything is cleared.

No cell is cleared while a process lives. Where a library starts the plugin there is a front, and only the steps are shown that it has part in.
Neighbouring moments with the same cells share a row. An empty cell: that one does not live at that moment, or "all" is the owner alone.

The moments, in their order:
`, cells)
	last := ""
	for _, c := range whole {
		if c.Moment != last {
			p.say("1. %s", c.Moment)
		}
		last = c.Moment
	}
}

// groupCells splits cells by story and boundary, in their order.
func groupCells(cells []crashes.Cell) (groups [][]crashes.Cell) {
	for _, c := range cells {
		n := len(groups) - 1
		if n < 0 || groups[n][0].Story != c.Story || groups[n][0].Boundary != c.Boundary {
			groups = append(groups, nil)
			n++
		}
		groups[n] = append(groups[n], c)
	}
	return groups
}

func (p *page) crashTable(cells []crashes.Cell) {
	var rows [][]string
	var last string
	victims := victimsOf(cells)
	for at := 0; at < len(cells); {
		moment, row := cells[at].Moment, make([]string, 1+len(victims))
		for ; at < len(cells) && cells[at].Moment == moment; at++ {
			row[1+slices.Index(victims, cells[at].Killed)] = crashCell(cells[at].Found)
		}
		if n := len(rows) - 1; n >= 0 && slices.Equal(rows[n][1:], row[1:]) {
			last = moment
			continue
		}
		closeRow(rows, last)
		row[0], last = moment, ""
		rows = append(rows, row)
	}
	closeRow(rows, last)
	head := []string{"at"}
	for _, who := range victims {
		head = append(head, who+" killed")
	}
	p.table(head, rows)
}

// closeRow names the last moment that shares the last row.
func closeRow(rows [][]string, last string) {
	if last != "" {
		rows[len(rows)-1][0] += " … " + last
	}
}

func crashCell(f crashes.Found) string {
	if f.Rule == "" {
		return f.Outcome
	}
	s := fmt.Sprintf("%s: %s ([%s](runbook.md#%s)), acquire: %s, cleared by %s", code(f.Disk), f.Outcome, f.Rule, f.Rule, f.Acquire, f.Clears)
	if f.Alive != crashes.Nobody {
		s = "**" + f.Alive + " lives**; " + s
	}
	return s
}

func (p *page) crashLimits() {
	p.heading("The limit: who left boundary and environment, and has no gate any more")
	p.say(`A child that moved itself out of the plugin's control group is still waited for by the gate. If that gate is killed, the kernel's account of
the group says nothing of the child. Its environment does: the plugin and what it starts carry the lease's id in CONTAINLEASE_LEASES, and no boundary is
taken for empty while a process is seen that does. Not seen is who also took another environment (su -l, sudo, env -i), or whose environment may not
be read, a set-uid program of another user. A normal end does not have this limit, and pid-namespace does not have it at all.

A process that enters a foreign PID namespace and forks twice there is lost to the gate of subreaper and process-group at a normal end; cgroup-v2
and pid-namespace have it still (TestAProcessThatEscapesIntoAForeignPIDNamespace). After a crash its environment shows it in every kind.`)
}
