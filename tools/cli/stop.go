package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/signal"
	"time"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/spf13/cobra"
)

// stopResult is what stop prints of what it has done.
type stopResult struct {
	Schema  string  `json:"schema"`
	Home    string  `json:"home"`
	LeaseID string  `json:"leaseId"`
	Asked   []alive `json:"asked"`  // who was asked to end
	Killed  bool    `json:"killed"` // the grace was over before all had ended
	Cleared bool    `json:"cleared"`
}

func (a *app) stopCommand() *cobra.Command {
	var grace time.Duration
	c := &cobra.Command{
		Use: "stop ID", Short: "End what is left of an invocation whose owner is dead, and clear its lease", Args: one("the id of a lease"),
		Long: `stop ends what is left of an invocation whose owner is dead: the processes of its control group, its
gate, its PID namespace, and whoever carries the lease in its environment. Each is proved to be the
invocation's at the moment of each signal. It asks first (TERM), waits --grace, kills, waits up to
--timeout for the end of all, and then clears the lease as doctor --apply would. What it is about to do is written to
audit.jsonl before.

It never touches an invocation whose owner lives, nor another program's.

Exit code 0: the end is proved and the lease is cleared. 76: nothing of it is seen any more, but
nothing proves its end, or something does not die; the lease stays, and the next command is printed.`,
		RunE: a.does(func(args []string) error {
			if grace < 0 {
				return usagef("--grace cannot be negative")
			}
			return a.stop(args[0], grace)
		}),
	}
	c.Flags().DurationVar(&grace, "grace", host.DefaultGrace, "from asking to killing")
	return c
}

func (a *app) stop(id string, grace time.Duration) error {
	reg, err := a.openExisting()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, letGo := signal.NotifyContext(context.Background(), terminal...)
	defer letGo()
	ctx, cancel := context.WithTimeout(ctx, grace+min(a.timeout, math.MaxInt64-grace))
	defer cancel()
	if _, err := a.inspect(reg, id); err != nil {
		return err
	}
	done, err := reg.Stop(ctx, id, grace)
	if err != nil {
		return a.explainStop(done, err)
	}
	out := stopResult{Schema: "containlease/stop-v1", Home: reg.Dir(), LeaseID: id,
		Asked: aliveOf(done.Asked), Killed: done.Killed, Cleared: done.Cleared}
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	text := "lease " + id + " of plugin " + done.Plugin + " is cleared: " + done.Verdict.Because
	if len(out.Asked) > 0 {
		text = fmt.Sprintf("ended: %s\n", done.Asked) + text
	}
	return a.print(plainLines(text) + "\n")
}

// explainStop says what stays, and what is next.
func (a *app) explainStop(done lease.Stopped, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; what was asked may still end: %w; next: %s", err, a.command(done.Next))
	case errors.Is(err, lease.ErrUnproved):
		return fmt.Errorf("%w; next: %s", err, a.command(done.Next))
	}
	return err
}
