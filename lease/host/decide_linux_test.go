package host_test

import (
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// TestNoWordAgainstAnOccupiedGroup: the kernel says that somebody is in it, and no operator's word changes that. They are named, and the next step is to stop them.
func TestNoWordAgainstAnOccupiedGroup(t *testing.T) {
	c := startCrash(t, "cgroup-v2", stubborn)
	c.killBoth()
	c.requireKept(verdict.Orphan, "occupied")
	i := c.find()
	require.Equal(t, verdict.ActStop, i.Next.Action)
	_, err := c.reg.Retire(t.Context(), i.ID, i.Digest, "I did not look")
	require.ErrorIs(t, err, lease.ErrInUse)
	require.ErrorContains(t, err, i.Life.String())
	require.NoFileExists(t, filepath.Join(c.reg.Dir(), lease.AuditLog), "what is refused is not written down")
	c.life.requireWhole()
	require.DirExists(t, c.boundary().Path)

	c.endGroup()
	_, err = c.reg.Retire(t.Context(), i.ID, i.Digest, "now I looked")
	require.ErrorIs(t, err, lease.ErrNotForThis, "what is proved needs no word")
	c.requireCleared()
}
