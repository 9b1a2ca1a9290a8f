package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/spf13/cobra"
)

type listing struct {
	Schema    string     `json:"schema"`
	Leases    []item     `json:"leases"`
	Leftovers []leftover `json:"leftovers"`
}

type showing struct {
	Schema string `json:"schema"`
	item
}

func (a *app) listCommand() *cobra.Command {
	fleet := false
	c := &cobra.Command{
		Use: "list", Short: "List the leases of the home, each with its verdict", Args: cobra.NoArgs,
		Long: `list shows every record of the home: lease, state, verdict, owner's and host's pid, plugin, why the
verdict is so, what is missing and, for what doctor would report, the next command. It writes nothing,
not even a lock file. A home without leases gives an empty list; no home is an error (66).`,
		RunE: a.does(func([]string) error {
			if fleet {
				return a.listFleet()
			}
			return a.list()
		}),
	}
	c.Flags().BoolVar(&fleet, "fleet", false, "the leases of all machines, as far as they can be told from here; wants --store")
	return c
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show one lease with everything its verdict rests on", Args: one("the id of a lease"),
		RunE: a.does(func(args []string) error { return a.show(args[0]) }),
	}
}

func (a *app) list() error {
	reg, err := a.read()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	out := listing{Schema: "containlease/list-v1", Leases: []item{}}
	for i, err := range reg.List(ctx) {
		if err != nil {
			return err
		}
		out.Leases = append(out.Leases, a.itemOf(i))
	}
	left, err := reg.Leftovers(ctx)
	if err != nil {
		return err
	}
	out.Leftovers = a.leftoversOf(left)
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	text := leftoverText("left behind: ", out.Leftovers)
	if len(out.Leases) == 0 {
		a.note("no leases in %s", reg.Dir())
		return a.print(text)
	}
	return a.print(itemTable(out.Leases) + text)
}

func (a *app) show(id string) error {
	reg, err := a.read()
	if err != nil {
		return err
	}
	defer reg.Close()
	i, err := a.inspect(reg, id)
	if err != nil {
		return err
	}
	if a.output == outputJSON {
		return a.printJSON(showing{"containlease/show-v1", a.itemOf(i)})
	}
	return a.print(itemText(a.itemOf(i)))
}

// inspect looks at one lease by its id.
func (a *app) inspect(reg *lease.Registry, id string) (lease.Inspection, error) {
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	i, err := reg.Inspect(ctx, id)
	if errors.Is(err, lease.ErrNotExist) || errors.Is(err, file.ErrName) {
		err = fmt.Errorf("no such lease in %s; `%s list` shows what there is: %w", reg.Dir(), program, err)
	}
	return i, err
}

// itemTable is the table of list. The plugin comes last: its name has no bound that a column could have.
func itemTable(items []item) string {
	rows := make([]row, len(items))
	for n, it := range items {
		rows[n] = row{
			cells: []string{it.LeaseID, stateWord(it), it.Verdict.Outcome, pidOf(it.Owner), pidOf(it.Host), dash(it.PluginID)},
			below: []string{it.Verdict.Because},
		}
		if len(it.Verdict.Missing) > 0 {
			rows[n].below = append(rows[n].below, "missing: "+missingOf(it))
		}
		if it.Verdict.Unseen > 0 {
			rows[n].below = append(rows[n].below, "unseen: "+unseenOf(it))
		}
		if it.finding {
			rows[n].copied = "next: " + it.Verdict.Next
		}
	}
	return table([]string{"LEASE", "STATE", "VERDICT", "OWNER", "HOST", "PLUGIN"}, rows)
}

// itemText is all of one item.
func itemText(it item) string {
	var facts []string
	for _, name := range slices.Sorted(maps.Keys(it.Verdict.Facts)) {
		facts = append(facts, name+" "+it.Verdict.Facts[name])
	}
	return pairs(
		"lease", it.LeaseID,
		"plugin", it.PluginID,
		"operation", it.Operation,
		"state", stateWord(it),
		"run", it.RunID,
		"acquired", it.AcquiredAt,
		"owner pid", strings.Trim(pidOf(it.Owner), "-"),
		"host pid", strings.Trim(pidOf(it.Host), "-"),
		"digest", orNothing(it.Digest),
		"verdict", it.Verdict.Outcome+" ("+it.Verdict.Rule+"): "+it.Verdict.Because,
		"problem", orNothing(it.Problem),
		"seen", strings.Join(it.Verdict.Details, "; "),
		"facts", strings.Join(facts, ", "),
		"missing", missingOf(it),
		"unseen", unseenOf(it),
		"blocks", blockedBy(it),
	) + fmt.Sprintf("%-*s%s\n", nameWidth, "next", plain(it.Verdict.Next)) // in one line, to be copied
}

// unseenOf says of whom nothing is known; "" where there is nobody.
func unseenOf(it item) string {
	if it.Verdict.Unseen == 0 {
		return ""
	}
	return fmt.Sprintf("%d processes that started since may not be looked at from here, and may be of it", it.Verdict.Unseen)
}

// blockedBy says whom it blocks, and why.
func blockedBy(it item) string {
	switch {
	case it.Blocks == "":
		return "nothing"
	case it.Verdict.Outcome == string(verdict.Malformed):
		return "every plugin (" + it.Blocks + ")"
	}
	return "its plugin (" + it.Blocks + ")"
}

func missingOf(it item) string { return strings.Join(it.Verdict.Missing, ", or ") }

func stateWord(it item) string {
	if it.State == "" && it.SchemaVersion == 1 {
		return "v1"
	}
	return dash(it.State)
}

func pidOf(p *process) string {
	if p == nil {
		return "-"
	}
	return strconv.FormatInt(p.PID, 10)
}

func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
