package host_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// enclosed acquires a lease whose boundary is the group, and completes it: an owner that says so without looking.
func enclosed(ctx context.Context, home, group string) (*lease.Handle, error) {
	reg, err := lease.Open(ctx, home)
	if err != nil {
		return nil, err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return nil, err
	}
	var at, up unix.Stat_t
	for path, st := range map[string]*unix.Stat_t{group: &at, filepath.Dir(group): &up} {
		if err := unix.Stat(path, st); err != nil {
			return nil, err
		}
	}
	b := leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: group, Inode: int64(at.Ino), ParentInode: int64(up.Ino)}
	if err := h.Enclose(ctx, b, 0); err != nil {
		return nil, err
	}
	return h, h.Event(ctx, fsm.CleanupComplete)
}

// completes is such an owner, which ends before it releases.
func completes() error {
	_, err := enclosed(context.Background(), os.Getenv("HOST_TEST_HOME"), os.Getenv("HOST_TEST_BELOW"))
	return err
}

// occupied is a group with a process in it.
func occupied(t *testing.T) (group string, free func()) {
	t.Helper()
	available(t, "cgroup-v2")
	group = newGroup(t)
	cmd := sh(`echo $$ >"$0/cgroup.procs"; echo up; exec sleep 300`)
	cmd.Args = append(cmd.Args, group)
	out := begin(t, cmd)
	require.True(t, out.Scan())
	return group, func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
	}
}

func TestNothingIsReleasedWhileItsGroupIsOccupied(t *testing.T) {
	group, free := occupied(t)
	h, err := enclosed(t.Context(), filepath.Join(t.TempDir(), "home"), group)
	require.NoError(t, err)
	defer h.Registry().Close()
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrOccupied)
	require.Equal(t, fsm.StateCleanupComplete, h.State())
	free()
	require.NoError(t, h.Release(t.Context()))
	require.NoDirExists(t, group)
	empty(t, h.Registry())
}

func TestTheDoctorRemovesNothingWhileItsGroupIsOccupied(t *testing.T) {
	group, free := occupied(t)
	home := filepath.Join(t.TempDir(), "home")
	require.NoError(t, as("completes", "HOST_TEST_HOME="+home, "HOST_TEST_BELOW="+group).Run())
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()
	require.Equal(t, "complete", one(t, reg).Verdict.Rule)
	rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.ErrorIs(t, rows[0].Err, lease.ErrOccupied)
	require.False(t, rows[0].Removed)
	require.Equal(t, fsm.StateCleanupComplete, one(t, reg).State)
	free()
	rows, err = reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.True(t, rows[0].Removed)
	require.NoDirExists(t, group)
	empty(t, reg)
}

func TestAnAcceptanceIsAudited(t *testing.T) {
	reg, _ := open(t)
	line := leasefile.AuditV1{Action: leasefile.AuditActionAcceptUnproved, Rule: "process-group", Reason: "because"}
	require.NoError(t, reg.Audit(t.Context(), line))
	require.NoError(t, reg.Audit(t.Context(), line))
	require.ErrorIs(t, reg.Audit(t.Context(), leasefile.AuditV1{}), lease.ErrInvalid)
	text, err := os.ReadFile(filepath.Join(reg.Dir(), lease.AuditLog))
	require.NoError(t, err)
	lines := 0
	for l := range bytes.Lines(text) {
		a, err := leasefile.DecodeAuditV1File(l)
		require.NoError(t, err)
		require.Equal(t, "because", a.Reason)
		lines++
	}
	require.Equal(t, 2, lines)
	look, err := lease.Open(t.Context(), reg.Dir(), lease.ReadOnly())
	require.NoError(t, err)
	defer look.Close()
	require.ErrorIs(t, look.Audit(t.Context(), line), lease.ErrReadOnly)
}
