package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // for the gates: a race-enabled program otherwise ends a second late
	if os.Getenv("HOST_TEST_NO_GATE") != "" {
		os.Exit(withoutGate())
	}
	host.GateMain()
	if code, yes := played(); yes {
		os.Exit(code)
	}
	if os.Getenv("HOST_TEST_OWNER") != "" {
		os.Exit(owner())
	}
	os.Exit(m.Run())
}

// open returns a registry in a home of its own and the transitions made in it.
func open(t *testing.T) (*lease.Registry, *[]string) {
	t.Helper()
	var seen []string
	reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"), lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Moved {
			seen = append(seen, string(o.Event))
		}
	}))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	return reg, &seen
}

func acquire(t *testing.T, reg *lease.Registry) *lease.Handle {
	t.Helper()
	h, err := reg.Acquire(t.Context(), identity, "")
	require.NoError(t, err)
	return h
}

func sh(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }

// empty requires that no lease and no file of one is left.
func empty(t *testing.T, reg *lease.Registry) {
	t.Helper()
	for i := range reg.List(t.Context()) {
		t.Fatalf("left: %+v", i)
	}
	for _, dir := range []string{"leases", "owners"} {
		left, err := os.ReadDir(filepath.Join(reg.Dir(), dir))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func alive(pid int) bool { return unix.Kill(pid, 0) == nil }

// leave is a script that leaves a process behind, in a session of its own, whose last words are end. It returns once
// that process has told its pid in the file "left".
func leave(end string) string {
	return `setsid sh -c 'echo $$ >tmp; mv tmp left; ` + end + `' & while [ ! -e left ]; do sleep 0.02; done; `
}
