package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoDrift fails when the generated package is not what the schemas say.
func TestNoDrift(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-dir", "../../gen/leasefile"}, &stdout, &stderr), "%s%s", &stdout, &stderr)
	require.Empty(t, stdout.String())
}

func TestGenerationIsDeterministic(t *testing.T) {
	first, err := generate()
	require.NoError(t, err)
	for range 10 {
		again, err := generate()
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

// TestDriftIsShown walks the whole use: an empty folder differs, writing fills it, an
// edit and a left-over file show up, writing again repairs both.
func TestDriftIsShown(t *testing.T) {
	dir := t.TempDir()
	leasegen := func(args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		status := run(append(args, "-dir", dir), &stdout, &stderr)
		return status, stdout.String() + stderr.String()
	}
	status, out := leasegen()
	require.Equal(t, 1, status)
	require.Contains(t, out, "+++ lease_gen.go as generated")

	status, out = leasegen("-write")
	require.Zero(t, status, out)

	owner := filepath.Join(dir, "owner_gen.go")
	text, err := os.ReadFile(owner)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(owner, []byte(strings.Replace(string(text), "PID int64", "PID int32", 1)), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "old_gen.go"), nil, 0o644))
	status, out = leasegen()
	require.Equal(t, 1, status)
	require.Contains(t, out, "-\tPID int32\n+\tPID int64\n")
	require.Contains(t, out, "old_gen.go is no longer generated")
	require.NotContains(t, out, "lease_gen.go")

	status, out = leasegen("-write")
	require.Zero(t, status, out)
	status, out = leasegen()
	require.Zero(t, status, out)
}

func TestWrongUsage(t *testing.T) {
	var stderr bytes.Buffer
	require.Equal(t, 1, run([]string{"-dir", filepath.Join(t.TempDir(), "ghost")}, &stderr, &stderr))
	require.Contains(t, stderr.String(), "run the generator in the folder tools")
	require.Equal(t, 2, run([]string{"-frobnicate"}, &stderr, &stderr))
}
