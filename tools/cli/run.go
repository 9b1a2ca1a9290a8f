package cli

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"

	"github.com/spf13/cobra"
)

type runFlags struct {
	identity, plugin, runID, boundary, statusFile string
	grace, wait                                   time.Duration
	exclusive, recover, enabled, vouch, unproved  bool
	failureCode                                   int
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [flags] -- CMD ARGS...", Short: "Run a plugin under a lease, from acquire to release",
		Long: runText, Args: cobra.ArbitraryArgs,
	}
	c.RunE = a.does(func(args []string) error {
		if c.Flags().Changed("output") {
			return usagef("run has no --output: its stdout is the plugin's; see --status-file")
		}
		if err := f.check(args); err != nil {
			return err
		}
		return a.run(f, args)
	})
	fl := c.Flags()
	fl.SetInterspersed(false) // what follows CMD is the plugin's
	fl.StringVar(&f.identity, "identity", "", "file with the 11 identity fields (schema identity-v1)")
	fl.StringVar(&f.plugin, "plugin", "", "id of an enabled plugin, whose record gives the identity")
	fl.StringVar(&f.runID, "run-id", "", "the run that this belongs to, a version 4 UUID (default: random)")
	fl.StringVar(&f.boundary, "boundary", host.Auto, "what encloses the plugin: "+strings.Join(host.Kinds, ", "))
	fl.BoolVar(&f.unproved, "accept-unproved", false, "accept process-group, which proves nothing after a crash; audited")
	fl.DurationVar(&f.grace, "grace", host.DefaultGrace, "from asking to killing")
	fl.DurationVar(&f.wait, "wait", 0, "how long to wait for a live exclusive holder")
	fl.BoolVar(&f.exclusive, "exclusive", false, "no other live invocation of the plugin, before or after")
	fl.BoolVar(&f.recover, "recover", false, "first remove what is proved gone of this plugin")
	fl.BoolVar(&f.enabled, "require-enabled", false, "refuse a plugin that has no record")
	fl.BoolVar(&f.vouch, "single-pid-namespace", false, vouchUsage)
	fl.StringVar(&f.statusFile, "status-file", "", "write there, as JSON, what happened")
	fl.IntVar(&f.failureCode, "failure-exit-code", 0, "exit with this, 1-255, for failures that are not the plugin's")
	return c
}

const runText = `run acquires a lease, starts CMD behind a gate, waits until every process of it is proved gone, and
releases the lease. Its exit code is the plugin's; see "containlease help exit-codes". Its stdout
is the plugin's alone.

Without --identity and --plugin the identity is made from the command: plugin, surface and adapter
are the executable's base name (lower case, other characters to "-", "cmd-" before what begins with
no letter), version 0.0.0, operation command.run, transport provider-api, contract 1. The bundle
digest is the sha256 of the executable; manifest and descriptor digests are the sha256 of the text
"containlease/command-v1", the executable's absolute path and every argument from argv[0] on, each
ended by a NUL byte. So all commands of one name are one plugin, and what one left behind blocks
the others.

--boundary says what encloses CMD: auto is cgroup-v2 where a control group can be made, else
subreaper; --status-file says which it was, and why. One that is not possible here is refused before
anything is written. process-group proves nothing after a crash: it needs --accept-unproved, which
is audited.

--grace begins at the first of: TERM or HUP sent to run, the end of CMD (for what it left behind), the
death of run. Nothing is killed before it is over; then everything is. At a terminal CMD is in run's
process group: the keys reach it directly, and run stops (Ctrl-Z) when CMD does.

With --plugin, CMD may be left out: then the program on record runs. A CMD that is given must be
that program.

--single-pid-namespace lets leases without evidence be judged by their processes. Given wrongly, it
takes the living for dead.`

func (f runFlags) check(args []string) error {
	switch {
	case f.identity != "" && f.plugin != "":
		return usagef("--identity and --plugin both say who is run: give one")
	case !slices.Contains(host.Kinds, f.boundary):
		return usagef("--boundary is one of %s, not %q", strings.Join(host.Kinds, ", "), f.boundary)
	case f.grace < 0 || f.wait < 0:
		return usagef("--grace and --wait cannot be negative")
	case f.failureCode < 0 || f.failureCode > 255:
		return usagef("--failure-exit-code is 1 to 255, not %d", f.failureCode)
	case len(args) == 0 && f.plugin == "":
		return usagef("run wants a command: %s run [flags] -- CMD ARGS...", program)
	}
	return nil
}

// run is one invocation and its report.
func (a *app) run(f runFlags, argv []string) error {
	s := newStatus(f)
	err := a.invoke(f, argv, s)
	code := s.finish(a, err, f)
	if werr := s.write(f.statusFile); werr != nil {
		a.say("%v", werr)
		if code == exitOK {
			code = f.failure(exitIO)
		}
	}
	if err != nil {
		a.conclude(err)
	}
	return &ended{code: code}
}

// failure is the exit code of a failure that is not the plugin's.
func (f runFlags) failure(code int) int {
	if f.failureCode != 0 {
		return f.failureCode
	}
	return code
}

// invoke takes one invocation from acquire to release, and notes in s how far it came.
func (a *app) invoke(f runFlags, argv []string, s *status) error {
	sub, err := a.beforeHome(f, argv)
	if err != nil {
		return err
	}
	choice, err := host.Choose(f.boundaryOptions()...)
	if err != nil {
		return err
	}
	s.Boundary.Why = choice.Why
	reg, err := a.open(vouched(f.vouch)...)
	if err != nil {
		return err
	}
	defer reg.Close()
	if f.plugin != "" {
		if sub, err = enabled(reg, f.plugin, argv); err != nil {
			return err
		}
	}
	if err := a.auditUnproved(reg, choice, sub.args); err != nil {
		return err
	}
	signals := catch()
	defer signals.close()
	h, err := a.acquire(reg, sub.identity, f, signals)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: sub.path, Args: sub.args, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr}
	// No deadline: --timeout is for locks, and a plugin runs as long as it likes.
	f.boundary = choice.Kind
	opts := append(f.boundaryOptions(), host.WithGrace(f.grace), host.WithSignals(signals), host.WithStopped(signals.stopToo))
	res, err := host.Run(context.Background(), h, cmd, opts...)
	err = release(h, res.Started, err)
	s.ended(h, res)
	return a.explainLeft(reg, h, err)
}

// explainLeft adds to the error what became of a lease that could not be released, and what to do next.
func (a *app) explainLeft(reg *lease.Registry, h *lease.Handle, err error) error {
	if err == nil || h.State() == fsm.StateReleased {
		return err
	}
	i, ierr := a.inspect(reg, h.ID())
	if ierr != nil {
		return err
	}
	return fmt.Errorf("%w\nlease %s stays and blocks plugin %s; next: %s", err, i.ID, i.Plugin, a.command(i.Next))
}

// beforeHome finds out what to run as far as no home is needed, so that a mistyped command makes none.
func (a *app) beforeHome(f runFlags, argv []string) (s subject, err error) {
	if f.plugin != "" {
		return subject{}, nil
	}
	if s, err = resolve(argv); err != nil {
		return s, err
	}
	if f.identity != "" {
		s.identity, err = a.identityFile(f.identity)
	} else {
		s.identity, err = madeIdentity(s)
	}
	return s, err
}

// release brings a lease that Run left to its end. A write in doubt is made definite once; what is still in doubt then
// stays for the doctor.
func release(h *lease.Handle, started bool, err error) error {
	ctx := context.Background()
	if errors.Is(err, lease.ErrUnsettled) && h.Resync(ctx) == nil && started && !errors.Is(err, host.ErrUnsafe) {
		err = nil // the doubt was all there was: a plugin that started has no other failure
	}
	if h.State() != fsm.StateCleanupComplete {
		return errors.Join(err, h.Close())
	}
	rerr := h.Release(ctx)
	if errors.Is(rerr, lease.ErrUnsettled) {
		rerr = h.Release(ctx)
	}
	return errors.Join(err, rerr)
}
