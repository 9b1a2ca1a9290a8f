package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// loses is a gate that is ended by a key before it can catch any; the next one, by whoever it is started, serves.
const loses = `#!/bin/sh
if mkdir "${0%/*}/once" 2>/dev/null; then kill -INT $$; fi
PATH="${0%/*}:$PATH"
exec containlease-gate "$2"
`

// TestAKeyBeforeThereIsAGate: what a terminal sends to run between its acquire and the moment from which the gate catches is not passed on by
// the gate, which did not live or was ended by it. It reaches the plugin all the same, in every boundary.
func TestAKeyBeforeThereIsAGate(t *testing.T) {
	for _, kind := range Kinds[1:] {
		for _, moment := range []string{"before the gate starts", "before the gate catches"} {
			t.Run(kind+"/"+moment, func(t *testing.T) {
				opts := []Option{WithBoundary(kind), AcceptUnproved()}
				if _, err := Choose(opts...); err != nil {
					t.Skipf("NOT TESTED: %v", err)
				}
				if moment == "before the gate catches" {
					opts = append(opts, WithGate(losing(t)))
				}
				reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
				require.NoError(t, err)
				defer reg.Close()
				h, err := reg.Acquire(t.Context(), demo, "")
				require.NoError(t, err)
				keys := make(chan os.Signal, 1)
				keys <- unix.SIGINT
				cmd := exec.Command("sleep", "300")
				cmd.Stdin = terminal(t)
				got, err := Run(t.Context(), h, cmd, append(opts, WithSignals(keys))...)
				require.NoError(t, err)
				require.Equal(t, 128+int(unix.SIGINT), got.Code)
				require.NoError(t, h.Release(t.Context()))
			})
		}
	}
}

// losing is the path of a gate that loses once.
func losing(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(dir, gateName)))
	path := filepath.Join(dir, "loses")
	require.NoError(t, os.WriteFile(path, []byte(loses), 0o755))
	return path
}

// A gate that ends by itself before its first word is not started again.
func TestAGateThatEndsWithoutAKeyIsNotReplaced(t *testing.T) {
	reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	defer reg.Close()
	h, err := reg.Acquire(t.Context(), demo, "")
	require.NoError(t, err)
	_, err = Run(t.Context(), h, exec.Command("true"), WithBoundary("subreaper"), WithGate(losing(t)), WithSignals(make(chan os.Signal)))
	require.ErrorIs(t, err, ErrGate)
	require.NoError(t, h.Release(t.Context()))
}
