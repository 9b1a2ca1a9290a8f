package cli

import (
	"context"
	"errors"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/etcd"
	"containlease/persist/file"

	"github.com/spf13/cobra"
)

func (a *app) retireMachineCommand() *cobra.Command {
	var digest, reason string
	c := &cobra.Command{
		Use: "retire-machine MACHINE", Short: "Declare that a machine never returns, and remove it with all its leases", Args: one("the id of a machine"),
		Long: `retire-machine is your word, not a proof: nothing of that machine runs any more, and it never returns
with its state home. --digest is that of its record, as list --fleet shows it; if the machine has
booted since, nothing is done. The reason is written to audit.jsonl of this home before anything is
removed. From then on every process of the machine is refused; should it return all the same, a new process
registers it anew, without leases.`,
		RunE: a.does(func(args []string) error { return a.retireMachine(args[0], digest, reason) }),
	}
	c.Flags().StringVar(&digest, "digest", "", "digest of the machine's record (list --fleet)")
	c.Flags().StringVar(&reason, "reason", "", "why, for the audit")
	return c
}

func (a *app) retireMachine(id, digest, reason string) error {
	if digest == "" || reason == "" || a.store == "" {
		return usagef("retire-machine wants --digest, --reason and --store")
	}
	record, err := persist.ParseDigest(digest)
	if err != nil {
		return usagef("--digest: %w", err)
	}
	cluster, err := a.cluster()
	if err != nil {
		return err
	}
	line := leasefile.AuditV1{Action: leasefile.AuditActionRetire, At: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Reason: "machine " + id + ", record " + digest + ": " + reason, Rule: "retire-machine"}
	if err := line.Validate(); err != nil {
		return usagef("--reason cannot be written down: %w", err)
	}
	if err := a.audit(line); err != nil {
		return err
	}
	n, err := etcd.Retire(context.Background(), id, record, cluster...)
	if err != nil {
		return err
	}
	a.note("machine %s is retired; %d of its leases were removed", id, n)
	return nil
}

// audit writes a line durably into this home, making the home where there is none. A copied home is refused.
func (a *app) audit(line leasefile.AuditV1) (err error) {
	dir, err := a.homeDir()
	if err != nil {
		return err
	}
	home, err := file.Create(dir, a.homeOptions()...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, home.Close()) }()
	if _, err := lease.MachineOf(home); err != nil {
		return err
	}
	return home.Append(context.Background(), lease.AuditLog, line.AppendCanonical(nil))
}
