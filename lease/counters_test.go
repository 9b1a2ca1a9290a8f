//go:build unix

package lease_test

import (
	"encoding/json"
	"expvar"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

var _ expvar.Var = (*lease.Counters)(nil)

func TestCountersCountWhatHappens(t *testing.T) {
	var c lease.Counters
	now := time.Unix(0, 0)
	d := newDesk(t)
	d.leave(t, fsm.StateHostStarting, unbounded)
	reg := d.open(t, lease.WithObserver(c.Observe), lease.WithClock(func() time.Time { return now }))
	ctx := t.Context()
	_, err := reg.Acquire(ctx, operation(), "")
	require.ErrorIs(t, err, lease.ErrBlocked)
	h, err := reg.Acquire(ctx, operation(), "", lease.RecoverFirst())
	require.NoError(t, err)
	require.Equal(t, int64(1), c.Counts().Held)
	require.ErrorIs(t, h.Release(ctx), lease.ErrRefused)
	now = now.Add(90 * time.Second)
	require.NoError(t, h.Event(ctx, fsm.CleanupComplete))
	require.NoError(t, h.Release(ctx))
	unsafe, err := reg.Acquire(ctx, operation(), "")
	require.NoError(t, err)
	require.NoError(t, unsafe.Event(ctx, fsm.CleanupUnsafe))
	require.NoError(t, unsafe.Close())
	i := d.leave(t, fsm.StateHostActive, nobody)
	_, err = reg.Retire(ctx, i.ID, i.Digest, word)
	require.NoError(t, err)

	n := c.Counts()
	require.Equal(t, map[verdict.Block]int64{verdict.BlockedUnverifiable: 1}, n.Blocked)
	n.Blocked = nil
	require.Equal(t, int64(2), n.Acquire.Count)
	require.Equal(t, int64(2), n.Hold.Count)
	require.InDelta(t, 90, n.Hold.Seconds, 0.001)
	hold := n.Hold.Buckets
	require.Equal(t, int64(1), hold[5].Count, "one within a minute")
	require.Equal(t, int64(2), hold[6].Count, "both within ten")
	require.Equal(t, int64(2), hold[len(hold)-1].Count)
	n.Acquire, n.Hold, n.Wait = lease.Histogram{}, lease.Histogram{}, lease.Histogram{}
	require.Equal(t, lease.Counts{Acquired: 2, Released: 1, Unsafe: 1, Recovered: 1, Decided: 1, Failed: 1}, n)

	var published lease.Counts
	require.NoError(t, json.Unmarshal([]byte(c.String()), &published))
	require.Equal(t, int64(2), published.Acquired)
}

// TestWaitsAreCounted: somebody else has the catalogue lock until the wait is told of.
func TestWaitsAreCounted(t *testing.T) {
	var c lease.Counters
	d := newDesk(t)
	home, err := file.Open(d.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, home.Close()) })
	lock, err := home.Lock(t.Context(), file.Exclusive, nil)
	require.NoError(t, err)
	reg := d.open(t, lease.WithObserver(func(o lease.Observation) {
		c.Observe(o)
		if o.Kind == lease.Waiting {
			require.NoError(t, lock.Unlock())
		}
	}))
	for _, err := range reg.List(t.Context()) {
		require.NoError(t, err)
	}
	wait := c.Counts().Wait
	require.Equal(t, int64(1), wait.Count)
	require.GreaterOrEqual(t, wait.Seconds, 0.02)
	require.Zero(t, wait.Buckets[0].Count)
}
