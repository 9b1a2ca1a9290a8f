package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"
)

// global holds the flags that every command has.
type global struct {
	home, store, output, level string
	timeout                    time.Duration
	quiet, trustParents        bool
}

const (
	outputTable = "table"
	outputJSON  = "json"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   program,
		Short: "Run plugins under containment leases, and tell what became of them",
		Long: `containlease runs a plugin in a child process under a containment lease: a durable record that
names owner and host by exact process identity, and that blocks the plugin until every process of
it is proved gone.

The state home is --home, else $CONTAINLEASE_HOME, else $XDG_STATE_HOME/containlease, else
~/.local/state/containlease. Results go to stdout, everything else to stderr.`,
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkGlobal() },
		RunE: func(*cobra.Command, []string) error {
			return usagef("no command was given")
		},
	}
	f := root.PersistentFlags()
	f.StringVar(&a.home, "home", "", "the state home (see containlease --help)")
	f.BoolVar(&a.trustParents, "trust-parents", false, "your word for the directories above the home (or "+envTrust+"=1)")
	f.StringVar(&a.store, "store", "", "where the leases are: etcd:URL[,URL...]; empty for files in the home")
	f.StringVar(&a.output, "output", outputTable, "table or json")
	f.DurationVar(&a.timeout, "timeout", 30*time.Second, "how long to wait for a lock; never limits a plugin's run")
	f.BoolVar(&a.quiet, "quiet", false, "no notes on stderr, only errors")
	f.StringVar(&a.level, "log-level", "error", "debug, info, warn or error; info shows every transition")
	root.AddCommand(a.runCommand(), a.listCommand(), a.showCommand(), a.doctorCommand(), a.validateCommand(),
		a.schemaCommand(), a.pluginCommand(), a.versionCommand(), a.gateCommand(),
		a.stopCommand(), a.retireCommand(), a.quarantineCommand(), a.adoptCommand(), a.manCommand(),
		a.watchCommand(), a.retireMachineCommand(),
		&cobra.Command{Use: "exit-codes", Short: "The exit codes", Long: exitTopic()})
	return root
}

func (a *app) checkGlobal() error {
	if a.output != outputTable && a.output != outputJSON {
		return usagef("--output is %s or %s, not %q", outputTable, outputJSON, a.output)
	}
	if a.timeout <= 0 {
		return usagef("--timeout has to be positive, not %v", a.timeout)
	}
	var l slog.Level
	if err := l.UnmarshalText([]byte(a.level)); err != nil {
		return usagef("--log-level is debug, info, warn or error, not %q", a.level)
	}
	return nil
}

// logger writes one line a happening to stderr. Its level was checked by checkGlobal.
func (a *app) logger() *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(a.level))
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: l}))
}

// limit is the context of one wait for a lock.
func (a *app) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, a.timeout)
}
