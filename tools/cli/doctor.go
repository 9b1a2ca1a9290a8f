package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"containlease/lease"

	"github.com/spf13/cobra"
)

type findings struct {
	Schema    string     `json:"schema"`
	Applied   bool       `json:"applied"`
	Findings  []finding  `json:"findings"`  // what remains
	Removed   []item     `json:"removed"`   // what --apply cleared, as it was judged
	Leftovers []leftover `json:"leftovers"` // what blocks nobody
	Plugins   []leftover `json:"plugins"`   // records of plugins that are none, so that these plugins do not start
}

type finding struct {
	item
	Error *string `json:"error" jsonschema:"nullable"` // why --apply could not remove it, else null
}

type doctorFlags struct {
	apply, vouch bool
	wait         time.Duration
}

func (a *app) doctorCommand() *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use: "doctor [ID]", Short: "Judge what crashed runs left behind, and clear what is proved gone", Args: cobra.MaximumNArgs(1),
		Long: `doctor reports every record that is not an invocation at work: its verdict, the facts, the proof
that is missing and the next command. One at work that could not prove its end is reported too: it
blocks its plugin. With --apply it removes the leases that are proved gone, each judged again under
the catalogue lock and the lease's own lock, and written to audit.jsonl; nothing is removed for its
age. Without --apply it writes nothing at all, not even a lock file.

Where something is alive, the next command ends it first, and has the doctor wait for that.
Where no proof can be had short of a reboot, the next command of a finding is a decision of yours:
retire, quarantine or adopt.

The record of a plugin that is none is a finding too: that plugin is not started.

What lies in owners/ without a lease is listed as left behind; --apply sweeps it. It blocks nobody.

Exit code 0: no findings. 69: findings remain; what --apply removed, and what is left behind, is none.`,
		RunE: a.does(func(args []string) error { return a.doctor(f, strings.Join(args, "")) }),
	}
	c.Flags().BoolVar(&f.apply, "apply", false, "remove what is proved gone")
	c.Flags().DurationVar(&f.wait, "wait", 0, "wait so long for what is still alive to end")
	c.Flags().BoolVar(&f.vouch, "single-pid-namespace", false, vouchUsage)
	return c
}

const vouchUsage = "your word: all users of the home share this PID namespace"

func vouched(yes bool) (opts []lease.Option) {
	if yes {
		opts = append(opts, lease.SinglePIDNamespace())
	}
	return opts
}

func (a *app) doctor(f doctorFlags, id string) error {
	open := a.read
	if f.apply {
		open = a.openExisting
	}
	reg, err := open(vouched(f.vouch)...)
	if err != nil {
		return err
	}
	defer reg.Close()
	if id != "" {
		if _, err := a.inspect(reg, id); err != nil {
			return err
		}
	}
	rows, err := a.repair(reg, lease.RepairOptions{Lease: id, Apply: f.apply}, f.wait)
	if err != nil {
		return err
	}
	out, failed := a.sortFindings(reg, rows, f.apply)
	if out.Leftovers, err = a.leftovers(reg, rows, f.apply); err != nil {
		return err
	}
	if out.Plugins, err = a.badPlugins(reg, id); err != nil {
		return err
	}
	if err := errors.Join(failed, a.printFindings(out, reg.Dir())); err != nil {
		return err
	}
	if n := len(out.Findings) + len(out.Plugins); n > 0 {
		return &ended{exitFindings, fmt.Sprintf("%d %s in %s", n, choose(n == 1, "finding remains", "findings remain"), reg.Dir())}
	}
	return nil
}

// repair is Repair, repeated until nothing that lives is waited for, or the wait is over. What it removes on the way is in the
// result too.
func (a *app) repair(reg *lease.Registry, o lease.RepairOptions, wait time.Duration) (rows []lease.Repaired, err error) {
	var removed []lease.Repaired
	ends := time.Now().Add(wait)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		ctx, cancel := a.limit(context.Background())
		rows, err = reg.Repair(ctx, o)
		cancel()
		left := time.Until(ends)
		alive := func(r lease.Repaired) bool { return r.Finding() && r.Alive() }
		if err != nil || left <= 0 || !slices.ContainsFunc(rows, alive) {
			return append(rows, removed...), err
		}
		for _, r := range rows {
			if r.Removed {
				removed = append(removed, r)
			}
		}
		time.Sleep(min(pause, left))
	}
}

// sortFindings tells what remains from what was removed. An invocation at work that blocks nobody is neither. failed joins why planned
// removals were not made.
func (a *app) sortFindings(reg *lease.Registry, rows []lease.Repaired, applied bool) (out findings, failed error) {
	out = findings{Schema: "containlease/doctor-v1", Applied: applied, Findings: []finding{}, Removed: []item{}}
	for _, r := range rows {
		if r.Removed {
			out.Removed = append(out.Removed, a.itemOf(r.Inspection))
			continue
		}
		if applied && r.Removable && r.Err == nil {
			// It changed, or another doctor was faster: what was judged is not what is there now.
			again, err := a.inspect(reg, r.ID)
			if errors.Is(err, lease.ErrNotExist) {
				continue
			}
			if err == nil {
				r.Inspection = again
			}
		}
		if !r.Finding() {
			continue
		}
		f := finding{item: a.itemOf(r.Inspection)}
		if r.Err != nil {
			failed = errors.Join(failed, fmt.Errorf("lease %s could not be removed: %w", r.ID, r.Err))
			s := r.Err.Error()
			f.Error = &s
		}
		out.Findings = append(out.Findings, f)
	}
	return out, failed
}

func (a *app) printFindings(out findings, dir string) error {
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	var texts []string
	for _, f := range out.Findings {
		texts = append(texts, itemText(f.item))
	}
	for _, it := range out.Removed {
		texts = append(texts, fmt.Sprintf("removed  %s of plugin %s (%s): %s\n", it.LeaseID, it.PluginID, stateWord(it), it.Verdict.Because))
	}
	for _, left := range []string{leftoverText("not started: ", out.Plugins), leftoverText("left behind: ", out.Leftovers)} {
		if left != "" {
			texts = append(texts, left)
		}
	}
	if len(texts) == 0 {
		a.note("no findings in %s", dir)
	}
	return a.print(strings.Join(texts, "\n"))
}
