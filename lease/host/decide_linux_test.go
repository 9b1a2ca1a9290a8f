package host_test

import (
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// TestNoWordAgainstAnOccupiedGroup: the kernel says that somebody is in it, and no operator's word changes that. The next command
// ends who is in it and is then the doctor's, and does what it says as soon as the group is empty.
func TestNoWordAgainstAnOccupiedGroup(t *testing.T) {
	c := startCrash(t, "cgroup-v2", stubborn)
	c.killBoth()
	c.requireKept(verdict.Uncertain, "no-proof")
	i := c.find()
	require.Regexp(t, "cgroup.kill; containlease .* --apply --wait 30s$", i.Next)
	_, err := c.reg.Retire(t.Context(), i.ID, i.Digest, "I did not look")
	require.ErrorIs(t, err, lease.ErrInUse)
	require.ErrorContains(t, err, c.boundary().Path)
	require.ErrorContains(t, err, "cgroup.kill", "it says what stops it")
	require.NoFileExists(t, filepath.Join(c.reg.Dir(), lease.AuditLog), "what is refused is not written down")
	c.life.requireWhole()
	require.DirExists(t, c.boundary().Path)

	c.endGroup()
	_, err = c.reg.Retire(t.Context(), i.ID, i.Digest, "now I looked")
	require.ErrorIs(t, err, lease.ErrNotForThis, "what is proved needs no word")
	c.requireCleared()
}
