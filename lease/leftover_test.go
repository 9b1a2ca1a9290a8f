//go:build unix

package lease_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// What lies in owners/ is shown only where no lease and no holder of its lock accounts for it; looking changes nothing.
func TestLeftovers(t *testing.T) {
	d := newDesk(t)
	d.leave(t, fsm.StateHostActive, nobody)
	h, err := d.Acquire(t.Context(), operationOf("other"), "")
	require.NoError(t, err)
	const key = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"
	d.write(t, "owners/"+key+".lock", "")
	d.write(t, "owners/"+key+".json", "torn")
	d.write(t, "owners/stranger", "")
	letGo := d.hold(t, key)
	left, err := d.Leftovers(t.Context())
	require.NoError(t, err)
	require.Empty(t, left, "its lock is held")
	letGo()
	before := d.in(t, "owners")
	left, err = d.open(t, lease.ReadOnly()).Leftovers(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, d.in(t, "owners"))
	require.Len(t, left, 2)
	require.Equal(t, filepath.Join(d.dir, "owners", key+".json"), left[0].Path)
	require.True(t, left[0].Sweeps)

	// A sweep takes what it can, and says why it could not take the rest.
	require.NoError(t, os.MkdirAll(filepath.Join(d.dir, "owners", key+".empty", "full"), 0o700))
	left, err = d.Sweep(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Contains(t, left[0].Reason, "directory")
	require.Equal(t, filepath.Join(d.dir, "owners", key+".empty"), left[0].Path)
	require.False(t, left[0].Sweeps, "somebody has to look what it is")
	require.Contains(t, left[0].Reason, "yours to remove")
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()), "a lease at work is not disturbed")
	_, err = d.open(t, lease.ReadOnly()).Sweep(t.Context())
	require.ErrorIs(t, err, lease.ErrReadOnly)
}
