package host_test

import (
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// TestThePluginTakesProcAway: by unmounting it although it is in use, or by hiding it. What it left behind, deaf to TERM, is found all
// the same.
func TestThePluginTakesProcAway(t *testing.T) {
	needsRoot(t)
	for _, how := range []string{"umount -l /proc", "mount -t tmpfs none /proc", "mount --bind / /proc"} {
		for _, kind := range []string{"subreaper", "cgroup-v2", "pid-namespace"} {
			t.Run(kind+": "+how, func(t *testing.T) {
				home := filepath.Join(t.TempDir(), "home")
				script := "cd " + t.TempDir() + "; " + leave(`trap "" TERM; exec sleep 300`) + how + " && cat left"
				owner := within(ownerCommand(t, home, script, "HOST_TEST_BOUNDARY="+kind), ":", "", "--mount")
				out := begin(t, owner)
				require.True(t, out.Scan(), "it never took it away")
				require.NotEmpty(t, out.Text())
				require.False(t, out.Scan(), "%s", out.Text())
				require.NoError(t, owner.Wait())
				reg, err := lease.Open(t.Context(), home, lease.ReadOnly())
				require.NoError(t, err)
				defer reg.Close()
				require.Equal(t, fsm.StateCleanupComplete, one(t, reg).State)
			})
		}
	}
}
