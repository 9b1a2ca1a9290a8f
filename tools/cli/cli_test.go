//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease/host"
	"containlease/tools/cli"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program under test, and its own gate.
func TestMain(m *testing.M) {
	host.GateMain()
	testscript.Main(m, programs)
}

// programs are what a session can run by name, without being installed.
var programs = map[string]func(){
	"containlease": func() { os.Exit(cli.Do(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
}

// TestSessions runs the sessions in testdata. Each has a home of its own, which does not exist yet.
func TestSessions(t *testing.T) { sessions(t, "testdata") }

// TestUsers runs what users of other programs met, each named as in the list of what they reported (users.md).
func TestUsers(t *testing.T) { sessions(t, "testdata/users") }

func sessions(t *testing.T, dir string) {
	t.Helper()
	if host.Supported() != nil {
		t.Skip("run works on Linux only")
	}
	// testscript leaves its directory behind when -run leaves out some of the sessions.
	t.Setenv("GOTMPDIR", t.TempDir())
	testscript.Run(t, testscript.Params{
		Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONTAINLEASE_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("CONTAINLEASE_TRACES", os.Getenv("CONTAINLEASE_TRACES")) // see tools/traces
			return passable(e.WorkDir)
		},
		Condition: condition,
		Cmds:      sessionCommands,
	})
}

// passable lets a session's other users through to its directory and to the programs, if it is root who runs it.
func passable(dir string) error {
	name, err := exec.LookPath("containlease")
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	for _, below := range []string{filepath.Dir(name), dir} {
		for ; below != filepath.Clean(os.TempDir()) && below != "/"; below = filepath.Dir(below) {
			if err := os.Chmod(below, 0o711); err != nil {
				return err
			}
		}
	}
	return nil
}
