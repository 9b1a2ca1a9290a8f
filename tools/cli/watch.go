package cli

import (
	"context"
	"fmt"
	"os/signal"

	"containlease/persist/etcd"

	"github.com/spf13/cobra"
)

// fleetChange is one line of watch --fleet.
type fleetChange struct {
	Schema   string        `json:"schema"`
	Kind     string        `json:"kind" jsonschema:"enum=relisted,enum=present,enum=written,enum=gone"`
	Revision int64         `json:"revision"` // --after this goes on from here
	Machine  *fleetMachine `json:"machine" jsonschema:"nullable"`
	Lease    *fleetLease   `json:"lease" jsonschema:"nullable"`
}

func (a *app) watchCommand() *cobra.Command {
	var fleet bool
	var after int64
	c := &cobra.Command{
		Use: "watch", Short: "Tell what happens to the leases, as it happens", Args: cobra.NoArgs,
		Long: watchText + `

watch --fleet prints what there is and then every change, one line each, until it is interrupted.
With --after it goes on from a revision that it printed before; where etcd has given that up, it says
"relisted" and begins anew: forget what was there, the present follows.`,
		RunE: a.does(func([]string) error {
			if !fleet {
				return a.watchHome()
			}
			return a.watchFleet(after)
		}),
	}
	c.Flags().BoolVar(&fleet, "fleet", false, "the leases of all machines")
	c.Flags().Int64Var(&after, "after", 0, "go on after this revision; 0 begins with what there is")
	return c
}

func (a *app) watchFleet(after int64) error {
	f, err := a.fleet()
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, stop := signal.NotifyContext(context.Background(), terminal...)
	defer stop()
	for c, err := range f.Watch(ctx, after) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if err := a.printChange(c); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printChange(c etcd.Change) error {
	out := fleetChange{Schema: "containlease/change-v1", Kind: string(c.Kind), Revision: c.As}
	text := fmt.Sprintf("%d %s", c.As, c.Kind)
	switch {
	case c.Kind == etcd.Relisted:
	case c.Key == "":
		m := machineRow(c.Record)
		out.Machine = &m
		text += fmt.Sprintf(" machine %s boot %.12s", m.MachineID, dash(m.BootID))
	default:
		l := leaseRow(c.Record)
		out.Lease = &l
		text += fmt.Sprintf(" lease %s of machine %s: %s, %s, plugin %s", plain(l.LeaseID), dash(l.MachineID), dash(l.State), l.Standing, dash(l.PluginID))
	}
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	return a.print(text + "\n")
}
