package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheTestsWalkTheTable records the tests of the machine and of the handle. `make test` records those of every package.
func TestTheTestsWalkTheTable(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-overlay", dir}, &stdout, &stderr), "%s", &stderr)
	cmd := exec.Command("go", "test", "-short", "-overlay", strings.TrimSpace(stdout.String()),
		"-run", "Pair|Rules|Memory|Context|Hook|Resume|OneWrite|Outcomes|Stories", "./fsm", "./lease")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CONTAINLEASE_TRACES="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Zero(t, run([]string{"-check", dir}, &stdout, &stderr), "%s", &stderr)
	t.Log(stdout.String())
	paths, err := filepath.Glob(dir + "/*.trace")
	require.NoError(t, err)
	require.Len(t, paths, 2, "one process each")

	// What the check is for: a step that the table does not have, and a cell that nobody exercised.
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		without := strings.ReplaceAll(string(b), "released release repeated released\n", "")
		require.NoError(t, os.WriteFile(path, []byte(without+"host-active release moved released\n"), 0o644))
	}
	stderr.Reset()
	require.Equal(t, 1, run([]string{"-check", dir}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "against the table, 2 times: release in host-active: moved, to released")
	require.Contains(t, stderr.String(), "no test has seen release in released: repeated")
	require.Equal(t, 2, strings.Count(stderr.String(), "\n"))
}

func TestEveryOutcomeIsJudged(t *testing.T) {
	tests := map[step]bool{
		{"parent-owned", "hostStarting", "moved", "host-starting"}:                               true,
		{"parent-owned", "hostStarting", "in-doubt", "host-starting"}:                            true,
		{"parent-owned", "hostStarting", "settled", "host-starting"}:                             true,
		{"parent-owned", "hostStarting", "settled", "host-active"}:                               false,
		{"parent-owned", "hostStarting", "failed", "parent-owned"}:                               true,
		{"parent-owned", "hostStarting", "failed", "host-starting"}:                              false,
		{"parent-owned", "hostStarting", "repeated", "parent-owned"}:                             false,
		{"parent-owned", "hostStarting", "refused:out-of-order", "parent-owned"}:                 true,
		{"parent-owned", "hostStarting", "refused:not-complete", "parent-owned"}:                 false,
		{"parent-owned", "cleanupUnsafe", "refused:out-of-order", "parent-owned"}:                false,
		{"cleanup-unsafe", "cleanupComplete", "refused:complete-after-unsafe", "cleanup-unsafe"}: true,
		{"cleanup-unsafe", "cleanupComplete", "failed", "cleanup-unsafe"}:                        false,
		{"cleanup-unsafe", "cleanupUnsafe", "repeated", "cleanup-unsafe"}:                        true,
		{"host-active", "release", "busy", "host-active"}:                                        true,
		{"host-active", "release", "busy", "released"}:                                           false,
		{"host-active", "release", "invented", "host-active"}:                                    false,
	}
	for s, want := range tests {
		require.Equal(t, want, allowed(s), "%v", s)
	}
	require.Len(t, cells(), 42+3*10+2, "42 pairs of state and event; a write has four outcomes, and two arrows have a guard")
}

func TestTheOverlayFollowsTheMachine(t *testing.T) {
	_, err := rename("func (m *Machine[H]) Fire(")
	require.ErrorContains(t, err, "Resume")
	var stderr bytes.Buffer
	require.Equal(t, 2, run(nil, &stderr, &stderr))
	require.Equal(t, 1, run([]string{"-overlay", t.TempDir() + "/nowhere"}, &stderr, &stderr))
	require.Equal(t, 1, run([]string{"-check", t.TempDir()}, &stderr, &stderr), "nothing recorded is nothing exercised")
}
