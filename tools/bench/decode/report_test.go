package main

import (
	"bytes"
	"flag"
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
	text, err := report("../../..", 1)
	require.NoError(t, err)
	require.Regexp(t, `\| leasefile\.Decode \|.*\| 0 \|\n`, text, "no verdict differs from the schema's")
	require.Contains(t, text, "| encoding/json, DisallowUnknownFields |")

	require.Equal(t, 2, run([]string{"-frobnicate"}, new(bytes.Buffer), new(bytes.Buffer)))
}
