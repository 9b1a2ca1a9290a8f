//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	host.GateMain()
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(os.Args[1], roles[os.Args[1]](os.Args[2:]))
	}
	os.Unsetenv("CONTAINLEASE_TRACES") // a victim that records its events makes calls that it otherwise does not, see tools/traces
	os.Exit(m.Run())
}

// newStage is a stage with the program built, or none where strace does not work.
func newStage(t *testing.T) *stage {
	t.Helper()
	if err := exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run(); err != nil {
		t.Skip("SKIPPED: strace does not work here: ", err)
	}
	s := &stage{ctx: t.Context(), dir: t.TempDir(), program: filepath.Join(t.TempDir(), "containlease")}
	var err error
	s.self, err = os.Executable()
	require.NoError(t, err)
	out, err := exec.Command("go", "build", "-o", s.program, "containlease/tools/containlease").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return s
}

// What a life calls is in one of the two lists, and the census names what is in neither.
func TestCensus(t *testing.T) {
	s := newStage(t)
	for _, l := range lives {
		counts, err := s.census(l)
		require.NoError(t, err)
		require.Greater(t, counts["fdatasync"].made+counts["fsync"].made, 1, "%s: %v", l.name, counts)
		for _, n := range counts {
			// The look for life asks for several files of each process of the machine.
			require.Less(t, n.made, 20_000, "a life without an end")
		}
	}
	before := calls
	defer func() { calls = before }()
	calls = nil
	for _, c := range before {
		if c.name != "linkat" {
			calls = append(calls, c)
		}
	}
	_, err := s.census(lives[0])
	require.ErrorContains(t, err, "linkat")
	why := harmless["futex"]
	defer func() { harmless["futex"] = why }()
	delete(harmless, "futex")
	_, err = s.census(lives[1])
	require.ErrorContains(t, err, "futex")
}

// Every harmless call says why, and none is swept as well.
func TestHarmlessIsToldApart(t *testing.T) {
	for name, why := range harmless {
		require.NotEmpty(t, why, name)
		require.NoError(t, known(life{}, name+"(0) = 0\n"))
		for _, c := range calls {
			require.NotEqual(t, name, c.name)
		}
	}
	require.ErrorContains(t, known(life{name: "x"}, "12 frobnicate(1) = 0\n<... futex resumed>) = 0\n--- SIGURG ---\n"), ": frobnicate")
}

// A run is a tree: the tracer counts the calls of all, and kills whoever makes the n-th. Then everything works again, or the test
// sees that it does not.
func TestTreeFalls(t *testing.T) {
	s := newStage(t)
	total, err := s.countTree()
	require.NoError(t, err)
	require.Greater(t, total, 1500, "owner, gate and plugin")
	tolled := toll{killed: map[string]int{}}
	for _, f := range []fall{{"one", 1}, {"all", 1}, {"one", total / 3}, {"all", total / 2}, {"all", total * 2 / 3}, {"one", total * 3 / 4}} {
		require.NoError(t, s.fell(f, &tolled))
	}
	require.Empty(t, tolled.broken)
	require.Equal(t, 3, tolled.killed["all"])
	require.Equal(t, 3, tolled.killed["owner"]+tolled.killed["another"])

	home := filepath.Join(t.TempDir(), "home")
	_, _, err = s.tree(fall{"one", 0}, home)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, "leases", "11111111-1111-4111-8111-111111111111.json"), []byte("{"), 0o600))
	_, err = s.recover(home, "owner")
	require.ErrorContains(t, err, "malformed")
}

// What there is no time for is not tried, and is said.
func TestTrialsInTime(t *testing.T) {
	s := newStage(t)
	plan, err := s.plan([]call{{"renameat2", []string{"EIO"}}})
	require.NoError(t, err)
	each := len(plan) / 2 // killed and failed
	require.GreaterOrEqual(t, each, 3, "one for each transition")
	rows, err := s.sweep([]call{{"renameat2", nil}}, plan, time.Now())
	require.NoError(t, err)
	require.Equal(t, tally{0, each}, rows[0].kills)
	require.Equal(t, tally{0, each}, rows[0].failures)
}
