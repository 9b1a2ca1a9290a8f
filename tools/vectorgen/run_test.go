package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoDrift fails when the files of cases are not what this program writes.
func TestNoDrift(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-dir", "../../schema/vectors"}, &stdout, &stderr), "%s%s", &stdout, &stderr)
}

func TestDriftIsShown(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	require.Equal(t, 1, run([]string{"-dir", dir}, &out, &out), "the files are missing")
	require.Zero(t, run([]string{"-write", "-dir", dir}, &out, &out))
	require.Zero(t, run([]string{"-dir", dir}, &out, &out))
	path := filepath.Join(dir, "cuts.jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte("cut-0001"), []byte("cut-0000"), 1), 0o644))
	out.Reset()
	require.Equal(t, 1, run([]string{"-dir", dir}, &out, &out))
	require.Contains(t, out.String(), "cuts.jsonl, line 2 is not")
	require.Equal(t, 2, run([]string{"-frobnicate"}, &out, &out))
	require.Equal(t, 1, run([]string{"-write", "-dir", filepath.Join(dir, "ghost")}, &out, &out))
}
