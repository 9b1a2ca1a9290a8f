package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	// Who is killed while it records its events leaves half a line, see tools/traces.
	os.Unsetenv("CONTAINLEASE_TRACES")
	os.Exit(m.Run())
}

// programs are built once for all tests.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, order{}.furnish(t.Context(), dir))
	return dir
}

// TestTorment is the short form.
func TestTorment(t *testing.T) {
	o := order{rounds: 40, workers: 4, seed: 1, within: 2 * time.Minute, programs: programs(t)}
	require.NoError(t, torment(t.Context(), o))
}

// TestTyped types what is printed of every scene.
func TestTyped(t *testing.T) {
	o := order{typed: true, short: true, seed: 1, programs: programs(t)}
	require.NoError(t, torment(t.Context(), o))
}

// liars do in passing what containlease must never do, and then what they are asked to. $bystander
// is one's pid.
var liars = map[string]struct{ lie, found string }{
	"clears beside the living": {`*doctor*) rm -f "$2"/leases/*.json`, "its lease is gone while"},
	"starts a second one":      {`*" run "*) rm -f "$2"/leases/*.json`, "is started a second time"},
	"signals a bystander":      {`*doctor*) kill -CONT $bystander`, "a bystander was signalled"},
	"leaves a lease":           {`*retire*) exit 0`, "left behind: leases/"},
	"breaks down":              {`*list*) exit 70`, "it broke down"},
}

const liar = `#!/bin/sh
bystander=%d
case "$*" in %s;; esac
exec %s/containlease "$@"
`

func TestLiarsAreFound(t *testing.T) {
	built := programs(t)
	for name, l := range liars {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, p := range []string{"containlease", "torment", "bystanding"} {
				require.NoError(t, os.Link(filepath.Join(built, p), filepath.Join(dir, p)))
			}
			t.Setenv("PATH", os.Getenv("PATH")) // which the stage changes
			s, err := newStage(t.Context(), "plain", dir)
			require.NoError(t, err)
			defer func() { require.NoError(t, s.close()) }()
			script := fmt.Sprintf(liar, s.crowd[0].pid(), l.lie, built)
			program := filepath.Join(dir, "containlease")
			require.NoError(t, os.Remove(program))
			require.NoError(t, os.WriteFile(program, []byte(script), 0o755))
			found := false
			for seed := uint64(1); seed < 60 && !found; seed++ {
				err := s.play(t.Context(), seed)
				found = err != nil && strings.Contains(err.Error(), l.found)
			}
			require.True(t, found)
		})
	}
}
