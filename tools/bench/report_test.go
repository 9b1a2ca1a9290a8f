package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReport runs everything once, as short as can be: figures are not asserted, but
// the decoder's verdicts are.
func TestReport(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles packages")
	}
	require.NoError(t, flag.Set("test.benchtime", "1x"))
	text, err := report("../..", 1)
	require.NoError(t, err)
	require.Regexp(t, `\| leasefile\.Decode \|.*\| 0 \|\n`, text, "no verdict differs from the schema's")
	require.Contains(t, text, "| encoding/json, DisallowUnknownFields |")

	path := filepath.Join(t.TempDir(), "BENCHMARKS.md")
	require.NoError(t, replaceSection(path, "one\n"))
	require.NoError(t, os.WriteFile(path, append(read(t, path), "kept\n"...), 0o600))
	require.NoError(t, replaceSection(path, "two\n"))
	require.Equal(t, "# Benchmarks\n\n## Reading a lease\n\n"+begin+"two\n"+end+"kept\n", string(read(t, path)))
	require.Equal(t, 2, run([]string{"-frobnicate"}, new(bytes.Buffer), new(bytes.Buffer)))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}
