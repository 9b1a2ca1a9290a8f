package host_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// typist types what an operator types, into the program that is shipped.
type typist struct{ dir string }

// newTypist builds containlease, and makes a plugin of the name that the crasher's has.
func newTypist(t *testing.T) typist {
	t.Helper()
	dir, err := os.MkdirTemp("", "typist")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	out, err := exec.Command("go", "build", "-C", "../../tools", "-o", filepath.Join(dir, "containlease"), "./containlease").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join(dir, identity.PluginID), []byte("#!/bin/sh\n"), 0o755))
	return typist{dir}
}

// said is one record as a command prints it.
type said struct {
	LeaseID, State, Blocks string
	Verdict                struct {
		Outcome, Rule, Next string
		Missing             []string
	}
}

// types returns what a command prints, and its exit code.
func (y typist) types(t *testing.T, home string, into any, args ...string) (code int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(y.dir, "containlease"), append([]string{"--home", home}, args...)...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code, err = exit.ExitCode(), nil
	}
	require.NoError(t, err)
	if into != nil {
		require.NoError(t, json.Unmarshal(out, into), "%v: %s", args, out)
	}
	return code
}

// requireSame has acquire (run), list, show and doctor say by their commands what the cell says, and the same down to what is missing and the next command.
func (y typist) requireSame(t *testing.T, home string, c *cell) {
	t.Helper()
	var list struct{ Leases []said }
	require.Zero(t, y.types(t, home, &list, "--output", "json", "list"))
	var doctor struct{ Findings []said }
	found := y.types(t, home, &doctor, "--output", "json", "doctor")
	var run struct{ BlockedBy *said }
	status := filepath.Join(t.TempDir(), "status")
	ran := y.types(t, home, nil, "run", "--boundary", "subreaper", "--status-file", status, "--", filepath.Join(y.dir, identity.PluginID))
	text, err := os.ReadFile(status)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &run))
	if c.Rule == "" {
		require.Empty(t, list.Leases)
		require.Zero(t, found)
		require.Zero(t, ran)
		return
	}
	require.Len(t, list.Leases, 1)
	first := list.Leases[0]
	var show said
	require.Zero(t, y.types(t, home, &show, "--output", "json", "show", first.LeaseID))
	require.Equal(t, first, show)
	require.Equal(t, []said{first}, doctor.Findings)
	require.Equal(t, 69, found, "findings remain")
	require.Equal(t, []string{c.Disk, c.Outcome, c.Rule}, []string{first.State, first.Verdict.Outcome, first.Verdict.Rule})
	if c.Acquire == "admits" {
		require.Empty(t, first.Blocks)
		require.Zero(t, ran)
		return
	}
	require.Equal(t, c.Acquire, first.Blocks)
	require.Equal(t, 76, ran, "blocked")
	require.Equal(t, &first, run.BlockedBy)
}

// typesNext types the next command of the only lease as it is printed, and what is added to it, and returns its exit code.
func (y typist) typesNext(t *testing.T, home, more string) int {
	t.Helper()
	var list struct{ Leases []said }
	require.Zero(t, y.types(t, home, &list, "--output", "json", "list"))
	require.Len(t, list.Leases, 1)
	cmd := exec.Command("sh", "-c", list.Leases[0].Verdict.Next+more)
	cmd.Env = append(os.Environ(), "PATH="+y.dir+":"+os.Getenv("PATH"))
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

// sample marks one cell for each boundary and each different thing that is committed of it: at those the commands are typed.
func sample(cells []*cell, committed map[place]cell) (typed int) {
	seen := map[cell]bool{}
	for _, c := range cells {
		kind := committed[c.place]
		kind.place = place{Boundary: c.Boundary}
		kind.Clears = ""
		c.typed = !seen[kind]
		seen[kind] = true
	}
	return len(seen)
}
