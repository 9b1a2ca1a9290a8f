package etcd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// elsewhere is a process inspector of a later boot: nothing recorded before runs.
type elsewhere struct {
	process.Inspector
	boot string
}

func (e elsewhere) Boot() (string, error) { return e.boot, nil }

func (e elsewhere) Status(id process.Identity, inode uint64) (process.Status, string) {
	if id.BootID != e.boot {
		return process.Dead, "of another boot"
	}
	return e.Inspector.Status(id, inode)
}

// A reboot: processes and handles of before cannot write, the doctor of that machine clears, and another machine's does not
// even see.
func TestRebootFencesAndClears(t *testing.T) {
	home := newHome(t)
	before := settleIn(t, home, nil)
	h := before.acquire(t)
	require.NoError(t, h.Event(t.Context(), fsm.CleanupUnsafe))
	live := before.acquireOf(t, "another")

	stranger := settleIn(t, newHome(t), elsewhere{process.New(), hex64("e")})
	rows, err := stranger.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Empty(t, rows, "the doctor of another machine, in another boot")
	require.NotNil(t, content(t, before.store, h.ID()))

	after := settleIn(t, reopen(t, home), elsewhere{process.New(), hex64("f")})
	state := live.State()
	err = live.Event(t.Context(), fsm.CleanupComplete)
	require.ErrorIs(t, err, ErrFenced)
	require.NotErrorIs(t, err, lease.ErrUnsettled)
	require.Equal(t, state, live.State())
	agrees(t, before.store, live)
	_, err = before.Acquire(t.Context(), identity("third"), "")
	require.ErrorIs(t, err, ErrFenced)

	found, err := after.Repair(t.Context(), lease.RepairOptions{Apply: true, Lease: h.ID()})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.False(t, found[0].Removed, "its owner's lock is held, by this very test: no other proof counts")
	require.NoError(t, os.Remove(filepath.Join(home.Dir(), "owners", h.ID()+".lock")))
	found, err = after.Repair(t.Context(), lease.RepairOptions{Apply: true, Lease: h.ID()})
	require.NoError(t, err)
	require.True(t, found[0].Removed, "%+v", found[0].Verdict)
	require.Nil(t, content(t, after.store, h.ID()))
}

// A clone that boots: a copy of the home names the same machine, and is refused before it can fence out the original.
func TestCloneIsRefused(t *testing.T) {
	original := settleIn(t, newHome(t), nil)
	h := original.acquire(t)
	copied := filepath.Join(t.TempDir(), "home")
	require.NoError(t, exec.Command("cp", "-a", original.home.Dir(), copied).Run())
	clone, err := file.Create(copied, file.AllowAnyFilesystem())
	require.NoError(t, err)
	defer clone.Close()
	for _, o := range [][]lease.Option{nil, {lease.ReadOnly()}} {
		_, err = lease.MachineOf(clone, append(o, lease.WithInspector(elsewhere{process.New(), hex64("c")}))...)
		require.ErrorIs(t, err, lease.ErrOtherHome)
	}
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
}
