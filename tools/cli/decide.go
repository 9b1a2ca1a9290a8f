package cli

import (
	"context"
	"strings"
	"unicode"

	"containlease/lease"
	"containlease/persist"

	"github.com/spf13/cobra"
)

// decided is what retire, quarantine and adopt print of what they have done.
type decided struct {
	Schema  string  `json:"schema"`
	Action  string  `json:"action" jsonschema:"enum=retire,enum=quarantine,enum=adopt"`
	Home    string  `json:"home"`
	LeaseID string  `json:"leaseId"`                      // the stored name of what is no lease; "" for adopt
	Digest  *string `json:"digest" jsonschema:"nullable"` // of the bytes it was about, else null
	Path    string  `json:"path"`                         // where a quarantined record is now, relative to the home; else ""
	Reason  string  `json:"reason"`
}

// digestNone stands for the digest of what could not be read.
const digestNone = "none"

// decision is the flags of every decision.
type decisionFlags struct {
	digest, reason string
	despite        []int64
}

func (f *decisionFlags) add(c *cobra.Command, wantsDigest bool) *cobra.Command {
	if wantsDigest {
		c.Flags().StringVar(&f.digest, "digest", "", "digest of exactly the bytes that were decided about (show); \""+digestNone+"\" where they cannot be read")
	}
	c.Flags().StringVar(&f.reason, "reason", "", "why, in one line: it is your word, and goes into "+lease.AuditLog)
	return c
}

func (f *decisionFlags) parse(command string, wantsDigest bool) (d persist.Digest, err error) {
	switch {
	case strings.IndexFunc(f.reason, unicode.IsLetter) < 0:
		return d, usagef("%s wants --reason in your own words, for %s: what you have looked at, and found", command, lease.AuditLog)
	case !wantsDigest, f.digest == digestNone:
		return d, nil
	case f.digest == "":
		return d, usagef("%s wants --digest: that of the record, as `%s show` tells it", command, program)
	}
	if d, err = persist.ParseDigest(f.digest); err != nil {
		return d, usagef("--digest: %w", err)
	}
	return d, nil
}

func (a *app) retireCommand() *cobra.Command {
	var f decisionFlags
	c := &cobra.Command{
		Use: "retire ID --digest DIGEST --reason TEXT", Short: "Remove one lease on your word that nothing of it runs any more", Args: one("the id of a lease"),
		Long: `retire is for a lease of which no proof can be had: its gate was killed, it is of version 1, or its
owner ran in a container that is no more. Look first: show tells what is known, and which proof is
missing. The word is about exactly the bytes that --digest names, and is written to audit.jsonl,
durably, before anything is done.

It is refused while anything of the invocation is seen alive, from wherever it is seen: a held lock, the
owner, the host, a process in the boundary or with the lease in its environment (stop ends those). A
process that only has a copy of the environment is named with --despite-pid; that goes into the audit
too. It is refused for what is proved gone (doctor --apply clears that). If your word is wrong, a
second invocation runs beside what is left of the first.`,
		RunE: a.does(func(args []string) error {
			digest, err := f.parse("retire", true)
			if err != nil {
				return err
			}
			return a.onRecord(func(ctx context.Context, reg *lease.Registry) error {
				i, err := reg.Retire(ctx, args[0], digest, f.reason, f.despitePIDs()...)
				if err != nil {
					return err
				}
				return a.printDecided(decided{Action: "retire", Home: reg.Dir(), LeaseID: i.ID, Digest: &f.digest, Reason: f.reason},
					"lease "+i.ID+" of plugin "+i.Plugin+" is retired")
			})
		}),
	}
	c.Flags().Int64SliceVar(&f.despite, "despite-pid", nil, "your word that this process has only a copy of the environment")
	return f.add(c, true)
}

func (f *decisionFlags) despitePIDs() (opts []lease.RetireOption) {
	for _, pid := range f.despite {
		opts = append(opts, lease.DespitePID(pid))
	}
	return opts
}

func (a *app) quarantineCommand() *cobra.Command {
	var f decisionFlags
	c := &cobra.Command{
		Use: "quarantine NAME --digest DIGEST --reason TEXT", Short: "Set aside a record that is no lease, its bytes kept", Args: one("the name of a record"),
		Long: `quarantine moves one record out of leases/ into quarantine/, untouched: one that is malformed (it blocks
every plugin), one with a foreign name, or a lease of a newer version, which a newer containlease
would judge better. NAME is the lease's id or the name that list shows; --digest is "none" where the
bytes cannot be read (a FIFO, a symbolic link). It is written to audit.jsonl, durably, before
anything is done, and refused while somebody holds the lease's lock.`,
		RunE: a.does(func(args []string) error {
			digest, err := f.parse("quarantine", true)
			if err != nil {
				return err
			}
			return a.onRecord(func(ctx context.Context, reg *lease.Registry) error {
				path, err := reg.Quarantine(ctx, args[0], digest, f.reason)
				if err != nil {
					return err
				}
				out := decided{Action: "quarantine", Home: reg.Dir(), LeaseID: args[0], Path: path, Reason: f.reason}
				if f.digest != digestNone {
					out.Digest = &f.digest
				}
				return a.printDecided(out, args[0]+" is set aside as "+path)
			})
		}),
	}
	return f.add(c, true)
}

func (a *app) adoptCommand() *cobra.Command {
	var f decisionFlags
	c := &cobra.Command{
		Use: "adopt --reason TEXT", Short: "Make a home that was moved or copied here this machine's", Args: cobra.NoArgs,
		Long: `A home that was moved or copied is only read: nobody can tell from here what still runs where it was
made. adopt is your word that nothing of its leases does. From then on they are judged by this
machine: those of another machine look like those of an earlier boot, and doctor --apply clears them.
The home gets a new machine id. It is written to audit.jsonl, durably, before anything is done, and
refused while somebody holds the lock of a lease.`,
		RunE: a.does(func([]string) error {
			if _, err := f.parse("adopt", false); err != nil {
				return err
			}
			dir, err := a.homeDir()
			if err != nil {
				return err
			}
			ctx, cancel := a.limit(context.Background())
			defer cancel()
			opts := append(a.leaseOptions(), lease.WithLogger(a.logger()))
			if err := lease.Adopt(ctx, dir, f.reason, append(opts, a.extra...)...); err != nil {
				return err
			}
			return a.printDecided(decided{Action: "adopt", Home: dir, Reason: f.reason}, "the home "+dir+" is this machine's now")
		}),
	}
	return f.add(c, false)
}

// onRecord opens the home for a decision about one of its records.
func (a *app) onRecord(act func(context.Context, *lease.Registry) error) error {
	reg, err := a.openExisting()
	if err != nil {
		return err
	}
	defer reg.Close()
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	return act(ctx, reg)
}

func (a *app) printDecided(out decided, text string) error {
	out.Schema = "containlease/decision-v1"
	if a.output == outputJSON {
		return a.printJSON(out)
	}
	return a.print(plain(text) + "\n")
}
