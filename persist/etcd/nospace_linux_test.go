package etcd

import (
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// A full etcd refuses a new lease before there is a host, and can be drained; with space again all goes on.
func TestNoSpace(t *testing.T) {
	endpoint := server(t, func(cfg *embed.Config) { cfg.QuotaBackendBytes = 2 << 20 })
	only := func(o *options) { o.endpoints = []string{endpoint} }
	m := settleIn(t, newHome(t), nil, only)
	done, running := m.acquireOf(t, "done"), m.acquireOf(t, "running")
	require.NoError(t, done.Event(t.Context(), fsm.CleanupComplete))
	old := sample(m.store.machineOrNone(), leasefile.ContainmentStatusCleanupComplete)
	old.Owner.BootID = hex64("9") // of a boot before: gone, for the doctor
	put(t, m.store, 1, old.LeaseID, nil, old.AppendCanonical(nil))

	client := raw(t, endpoint)
	var err error
	for i := 0; err == nil; i++ {
		_, err = client.Put(t.Context(), "/elsewhere/"+strings.Repeat("x", i+1), strings.Repeat("x", 200<<10))
	}
	require.ErrorIs(t, err, rpctypes.ErrNoSpace)

	h, err := m.Acquire(t.Context(), identity("new"), "")
	require.ErrorIs(t, err, ErrNoSpace)
	require.NotErrorIs(t, err, lease.ErrUnsettled)
	require.Nil(t, h, "refused before a host could exist")
	err = running.Event(t.Context(), fsm.HostStarting, child(t))
	require.ErrorIs(t, err, ErrNoSpace)
	require.Equal(t, fsm.StateParentOwned, running.State())
	agrees(t, m.store, running)

	require.NoError(t, done.Release(t.Context()))
	rows, err := m.Repair(t.Context(), lease.RepairOptions{Apply: true, Lease: old.LeaseID})
	require.NoError(t, err)
	require.True(t, rows[0].Removed)
	require.Equal(t, 1, count(t, m.store), "only the running one is left")

	makeSpace(t, client)
	require.NoError(t, running.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, running.Release(t.Context()))
}

func count(t *testing.T, s *Store) (n int) {
	t.Helper()
	for e, err := range s.List(t.Context()) {
		require.NoError(t, err)
		require.NoError(t, e.Err)
		n++
	}
	return n
}

// makeSpace is what an operator does: delete, compact, defragment, disarm.
func makeSpace(t *testing.T, c *clientv3.Client) {
	t.Helper()
	gone, err := c.Delete(t.Context(), "/elsewhere/", clientv3.WithPrefix())
	require.NoError(t, err)
	_, err = c.Compact(t.Context(), gone.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
	_, err = c.Defragment(t.Context(), c.Endpoints()[0])
	require.NoError(t, err)
	_, err = c.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	require.NoError(t, err)
}
