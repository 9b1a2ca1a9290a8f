package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/tools/internal/vectors"
)

const dir = "../../schema/vectors"

// TestConformance is the same as make conformance, on fewer mutants.
func TestConformance(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"-dir", dir, "-mutants", "4000"}, &stdout, &stderr)
	require.Zero(t, status, "%s%s", &stdout, &stderr)
	t.Log(stdout.String())
	require.Contains(t, stdout.String(), "santhosh: ")
	if strings.Contains(stdout.String(), "SKIPPED") {
		t.Skip("half of it was SKIPPED: no node, no npm or no registry")
	}
	require.Contains(t, stdout.String(), "ajv: ")
}

// TestDisagreementsAreSeen spoils the answers: a difference that no row allows counts,
// in both directions, and an allowed one only for its reason.
func TestDisagreementsAreSeen(t *testing.T) {
	documents, err := vectors.Documents(dir)
	require.NoError(t, err)
	byName := map[string][]byte{}
	for _, document := range documents {
		byName[document.Name] = document.Bytes
	}
	allowed, err := readDisagreements(dir)
	require.NoError(t, err)
	for _, d := range allowed {
		require.Contains(t, excuses, d.When)
		require.NotEmpty(t, d.Reason)
	}
	for _, c := range []struct {
		name, validator string
		letter          byte
		surprises       int
	}{
		{"v1/valid", "ajv", valid, 0},
		{"v1/valid", "ajv", invalid, 1},
		{"v1/valid", "ajv", noJSON, 1},
		{"v1/valid", "santhosh", unasked, 1},
		{"v1/missing/runId", "ajv", valid, 1},
		{"v1/missing/runId", "ajv", invalid, 0},
		{"v1/twice/runId", "ajv", valid, 0},
		{"v1/twice/runId", "nobody", valid, 1},
		{"v2/number-tiny-fraction/owner.pid", "ajv", valid, 0},
		{"v2/number-tiny-fraction/owner.pid", "santhosh", valid, 1},
		{"v2/number-half/owner.pid", "ajv", valid, 1},
	} {
		b, known := byName[c.name]
		require.True(t, known, c.name)
		s := &subjects{documents: []vectors.Document{{Name: c.name, Bytes: b}}}
		var out bytes.Buffer
		got := compare(&out, c.validator, s, []string{decode(b)}, []byte{c.letter}, allowed, 0)
		require.Equal(t, c.surprises, got, "%s, %s says %c\n%s", c.name, c.validator, c.letter, &out)
	}
}

// TestWalk runs the script of the vectors as a program in another language would.
func TestWalk(t *testing.T) {
	room := t.TempDir()
	folder := room + "/vectors"
	require.NoError(t, furnish(room, folder, dir))
	for _, name := range []string{"cases.jsonl", "cuts.jsonl", "large.jsonl", "decode.jsonl", "mutants.jsonl"} {
		text, err := os.ReadFile(dir + "/" + name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(folder+"/"+name, text, 0o600))
	}
	if err := install(t.Context(), folder); err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skipf("SKIPPED: %v", err)
	}
	out, err := script(t.Context(), folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "no surprises")
}

func TestMutantsAreAlwaysTheSame(t *testing.T) {
	documents, err := vectors.Documents(dir)
	require.NoError(t, err)
	require.Equal(t, mutants(documents, 100), mutants(documents, 200)[:100])
	require.Equal(t, 2, run(t.Context(), []string{"-frobnicate"}, new(bytes.Buffer), new(bytes.Buffer)))
}
