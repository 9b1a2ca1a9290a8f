package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"containlease/lease"

	"github.com/spf13/cobra"
)

// program is the name in messages and help.
const program = "containlease"

// app is one call of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	global
	dir   string         // the state home, once it is known
	extra []lease.Option // of tests
	began bool           // a command took over; errors before that are about the command line
}

// Do runs the program with args, without the program's name, and returns its exit code; see [Exits]. The caller's main has
// called host.GateMain first. run gives stdin, stdout and stderr to the plugin: as *os.File they become its own.
func Do(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return (&app{stdin: stdin, stdout: stdout, stderr: stderr}).do(args)
}

func (a *app) do(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = a.conclude(fmt.Errorf("%w: %v\n%s", errPanic, p, debug.Stack()))
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.Execute()
	if err != nil && !a.began && !errors.Is(err, errUsage) {
		err = usagef("%w", err)
	}
	return a.conclude(err)
}

// conclude tells the error, if there is anything to tell, and returns its code.
func (a *app) conclude(err error) int {
	var own *ended
	switch {
	case err == nil:
	case errors.As(err, &own):
		if own.note != "" {
			a.note("%s", own.note)
		}
	case errors.Is(err, errUsage):
		a.say("%v\nSee `%s help`.", err, program)
	default:
		a.say("%v%s%s", err, a.after(err), remedy(err))
	}
	return codeOf(err)
}

// say writes a message to stderr whatever --quiet says: errors.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, program+": "+format+"\n", args...)
}

// note writes a message to stderr unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.say(format, args...)
	}
}

// does makes the RunE of a command. What goes wrong before it is the command line's fault.
func (a *app) does(f func(args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		a.began = true
		return f(args)
	}
}

// one is the rule of a command about one thing; what says which.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fmt.Errorf("%s wants %s, and %d arguments were given: %s %s", cmd.Name(), what, len(args), cmd.Parent().CommandPath(), cmd.Use)
	}
}
