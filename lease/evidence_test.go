package lease_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist/file"
)

// What an older version left is read as it was: nothing of it is lost, and nothing is made up.
func TestEvidenceOfAnOlderVersionIsEvidence(t *testing.T) {
	s := newSite(t)
	l := leaseOf(fsm.StateHostActive, identity(300))
	s.plant(t, l, false)
	found := func() *leasefile.EvidenceV2 {
		i, err := s.Inspect(t.Context(), l.LeaseID)
		require.NoError(t, err)
		return i.Evidence
	}
	n := int64(7)
	old := leasefile.EvidenceV1{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "old", Version: "0", Exclusive: true,
		PIDNamespace: &n, TimeNamespace: &n, CgroupNamespace: &n, OwnerInode: &n, HostInode: &n,
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: "/nowhere", Inode: 2, ParentInode: 1}}
	require.NoError(t, s.home.WriteRecord("owners/"+l.LeaseID+".json", old.AppendCanonical(nil), file.Volatile))
	require.Equal(t, &leasefile.EvidenceV2{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "old", Version: "0", Exclusive: true,
		PIDNamespace: &n, TimeNamespace: &n, CgroupNamespace: &n, OwnerInode: &n, HostInode: &n, Boundary: old.Boundary}, found())
	old.Token = l.LeaseID
	require.NoError(t, s.home.WriteRecord("owners/"+l.LeaseID+".json", old.AppendCanonical(nil), file.Volatile))
	require.Nil(t, found(), "evidence of another ownership")
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "owners", l.LeaseID+".json"), []byte("{}\n"), 0o600))
	require.Nil(t, found(), "no evidence")
}

// What is written is the newest version.
func TestEvidenceIsWrittenAsVersionTwo(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	b, err := s.home.ReadRecord("owners/" + h.ID() + ".json")
	require.NoError(t, err)
	_, err = leasefile.DecodeEvidenceV2File(b)
	require.NoError(t, err)
}
