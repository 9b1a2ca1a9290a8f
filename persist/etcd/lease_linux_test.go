package etcd

import (
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

func TestWholeCycle(t *testing.T) {
	m := settleIn(t, newHome(t), nil)
	h := m.acquire(t)
	host := child(t)
	agrees(t, m.store, h)
	for _, step := range []struct {
		ev   fsm.Event
		args []any
	}{{fsm.HostStarting, []any{host}}, {fsm.HostStarted, []any{host}}, {fsm.CleanupComplete, nil}, {fsm.Release, nil}} {
		require.NoError(t, h.Event(t.Context(), step.ev, step.args...))
		agrees(t, m.store, h)
	}
}

// The leases are not files of the home: their evidence must not be swept as if they did not exist, but left-overs are.
func TestSweepBesideLeasesElsewhere(t *testing.T) {
	m := settleIn(t, newHome(t), nil)
	h := m.acquire(t)
	gone := sample(m.store.machineOrNone(), leasefile.ContainmentStatusParentOwned).LeaseID
	kept := sample(m.store.machineOrNone(), leasefile.ContainmentStatusCleanupComplete)
	kept.Identity.PluginID = "another"
	put(t, m.store, persist.Create, kept.LeaseID, nil, kept.AppendCanonical(nil))
	for _, id := range []string{gone, kept.LeaseID} {
		l, err := m.home.Claim(id)
		require.NoError(t, err)
		require.NoError(t, m.home.WriteRecord("owners/"+id+".empty", nil, file.Volatile))
		require.NoError(t, l.Close(), "its owner has died")
	}
	another := m.acquire(t)
	names, err := m.home.RecordNames("owners")
	require.NoError(t, err)
	require.Contains(t, names, "owners/"+kept.LeaseID+".empty", "the proof of a lease that is still there")
	require.NotContains(t, names, "owners/"+gone+".empty")
	for _, h := range []*lease.Handle{h, another} {
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
		require.NoError(t, h.Release(t.Context()))
	}
}
