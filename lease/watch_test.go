//go:build unix

package lease_test

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// The bounds of a wait, used up by a failure only.
const (
	waitLimit = 30 * time.Second
	waitTick  = 5 * time.Millisecond
)

func TestWatch(t *testing.T) {
	d := newDesk(t)
	old := d.leave(t, fsm.StateHostStarting, unbounded)
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	next, stop := iter.Pull2(d.open(t, lease.ReadOnly()).Watch(ctx))
	defer stop()
	expect := func(kind lease.ChangeKind, id string, state fsm.State) {
		t.Helper()
		c, err, ok := next()
		require.True(t, ok)
		require.NoError(t, err)
		require.Equal(t, kind, c.Kind)
		require.Equal(t, id, c.Now.ID)
		require.Equal(t, state, c.Now.State)
	}
	expect(lease.ChangePresent, old.ID, fsm.StateHostStarting)
	other := operation()
	other.PluginID = "other"
	h, err := d.Acquire(ctx, other, "")
	require.NoError(t, err)
	expect(lease.ChangeAppeared, h.ID(), fsm.StateParentOwned)
	for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
		require.NoError(t, h.Event(ctx, ev, lease.HostOf(seen(1))))
		expect(lease.ChangeMoved, h.ID(), h.State())
	}
	require.NoError(t, h.Event(ctx, fsm.CleanupComplete))
	expect(lease.ChangeMoved, h.ID(), fsm.StateCleanupComplete)
	require.NoError(t, h.Release(ctx))
	expect(lease.ChangeVanished, h.ID(), fsm.StateCleanupComplete)
	d.write(t, "leases/stray", "?")
	expect(lease.ChangeAppeared, "stray", "")
	require.NoError(t, os.Remove(filepath.Join(d.dir, "leases", "stray")))
	expect(lease.ChangeVanished, "stray", "")

	// What no file tells of: a process that somebody starts or kills.
	left := d.leave(t, fsm.StateHostActive, nobody)
	expect(lease.ChangeAppeared, left.ID, fsm.StateHostActive)
	letGo := d.hold(t, left.ID)
	expect(lease.ChangeMoved, left.ID, fsm.StateHostActive)
	letGo()
	expect(lease.ChangeMoved, left.ID, fsm.StateHostActive)
	cancel()
	_, err, ok := next()
	require.False(t, ok, "the end of the context is no error: %v", err)
}

func TestWatchEndsWhenItsCallerStops(t *testing.T) {
	d := newDesk(t)
	d.leave(t, fsm.StateHostStarting, unbounded)
	n := 0
	for _, err := range d.Watch(t.Context()) {
		require.NoError(t, err)
		n++
		break
	}
	require.Equal(t, 1, n)
}
