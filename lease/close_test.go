//go:build linux || darwin || freebsd

package lease_test

import (
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// TestCloseLetsOthersLook asks for the state at every call that Close makes to the disk, for a release that Resync had to settle.
func TestCloseLetsOthersLook(t *testing.T) {
	p := memory.NewDisk().Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	store := &faulty{Store: home.Store(), syncer: home.Store()}
	reg, err := lease.New(store, home, lease.WithInspector(newWorld()))
	require.NoError(t, err)
	h, err := reg.Acquire(t.Context(), identityOf("acme"), "")
	require.NoError(t, err)
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	store.next(lostLanded)
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrUnsettled)
	require.NoError(t, h.Resync(t.Context()))
	looks := 0
	p.Watch(func(memory.Call) error {
		looks++
		require.Equal(t, fsm.StateReleased, h.Snapshot().State)
		require.True(t, !h.Can(fsm.CleanupComplete))
		return nil
	})
	soon(t, func() { require.NoError(t, h.Close()) })
	require.NotZero(t, looks)
}
