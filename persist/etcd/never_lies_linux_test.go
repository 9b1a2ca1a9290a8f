package etcd

import (
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// At every arrow the reply is lost for good, the old bytes are read back, and the write lands afterwards. The handle never says
// anything but what is so or that it does not know; after Resync it knows.
func TestHandleNeverLies(t *testing.T) {
	for _, landsFirst := range []bool{true, false} {
		name := map[bool]string{true: "lands before the resync", false: "lands after the release"}[landsFirst]
		t.Run(name, func(t *testing.T) {
			n := &network{t: t}
			m := settleIn(t, newHome(t), nil, hurried, n.option())
			host := child(t)
			n.let(held)
			h, err := m.Acquire(t.Context(), sample(m.store.machineOrNone(), "").Identity, "")
			require.NotNil(t, h)
			resolve(t, n, m, h, err, fsm.StateAbsent, landsFirst)
			for _, step := range []struct {
				ev   fsm.Event
				args []any
			}{{fsm.HostStarting, []any{host}}, {fsm.HostStarted, []any{host}}, {fsm.CleanupComplete, nil}, {fsm.Release, nil}} {
				before := h.State()
				n.let(held)
				resolve(t, n, m, h, h.Event(t.Context(), step.ev, step.args...), before, landsFirst)
			}
			require.Equal(t, fsm.StateReleased, h.State())
			require.NoError(t, h.Release(t.Context()), "to be done with the files in the home")
			require.Equal(t, !landsFirst, len(n.late) > 0)
			require.Zero(t, n.land(), "a copy that was held up changed something")
			require.Nil(t, content(t, m.store, h.ID()))
			names, err := m.home.RecordNames("owners")
			require.NoError(t, err)
			require.Empty(t, names)
		})
	}
}

// At every arrow etcd runs out of space between its two looks at the quota: it has done what it says it has not. It never says
// so of the release, which puts nothing; the handle would take it as well.
func TestHandleNeverLiesOfFull(t *testing.T) {
	n := &network{t: t}
	m := settleIn(t, newHome(t), nil, hurried, n.option())
	host := child(t)
	n.let(overfull)
	h, err := m.Acquire(t.Context(), sample(m.store.machineOrNone(), "").Identity, "")
	require.NoError(t, err, "it is in etcd")
	agrees(t, m.store, h)
	for _, step := range []struct {
		ev   fsm.Event
		args []any
	}{{fsm.HostStarting, []any{host}}, {fsm.HostStarted, []any{host}}, {fsm.CleanupComplete, nil}, {fsm.Release, nil}} {
		n.let(overfull)
		require.NoError(t, h.Event(t.Context(), step.ev, step.args...))
		require.Equal(t, 1, n.losses())
		agrees(t, m.store, h)
	}
}

// resolve looks at a handle whose last write was held up, and brings it back.
func resolve(t *testing.T, n *network, m machine, h *lease.Handle, err error, before fsm.State, landsFirst bool) {
	t.Helper()
	require.ErrorIs(t, err, lease.ErrUnsettled)
	require.NotErrorIs(t, err, lease.ErrNotDurable)
	frozen := func() {
		require.True(t, h.Snapshot().Frozen)
		require.Equal(t, before, h.State(), "memory is never ahead of the disk")
		require.False(t, h.Can(fsm.CleanupComplete))
		require.ErrorIs(t, h.Event(t.Context(), fsm.CleanupUnsafe), lease.ErrUnsettled)
	}
	frozen()
	old := content(t, m.store, h.ID()) // read back as old
	require.Equal(t, before == fsm.StateAbsent, old == nil)
	require.ErrorIs(t, h.Resync(t.Context()), lease.ErrUnsettled, "the network is still bad")
	if landsFirst {
		require.Positive(t, n.land())
		require.NotEqual(t, old, content(t, m.store, h.ID()))
		frozen()
	}
	n.let(pass)
	require.NoError(t, h.Resync(t.Context()))
	require.NotEqual(t, before, h.State())
	agrees(t, m.store, h)
}
