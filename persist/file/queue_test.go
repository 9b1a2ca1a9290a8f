//go:build linux || darwin || freebsd

package file

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// giveUp waits for the lock until the wait is long enough to be spoken of.
func giveUp(t *testing.T, h *Home, m Mode) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := h.Lock(short, m, func(Wait) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

// However often somebody gives up on a holder that does not end, one goroutine stands in the kernel's queue for each mode.
// Whoever comes next has its place, and gets the lock.
func TestGivingUpInTheQueue(t *testing.T) {
	h, _ := newHome(t)
	h.sys = kernel{}
	holder := startReady(t, "lock", h.Dir())
	giveUp(t, h, Exclusive)
	giveUp(t, h, Shared)
	before := runtime.NumGoroutine()
	for range 20 {
		giveUp(t, h, Exclusive)
		giveUp(t, h, Shared)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
	require.Len(t, h.places[lockExclusive], 1)
	require.Len(t, h.places[lockShared], 1)

	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	for _, m := range []Mode{Exclusive, Shared, Exclusive} {
		lock, err := h.Lock(ctx, m, nil)
		require.NoError(t, err)
		require.NoError(t, lock.Unlock())
	}
}

// A place that was left and that nobody takes over gives the lock back by itself, and a new wait gets a new place.
func TestPlaceThatWasLeft(t *testing.T) {
	h, _ := newHome(t)
	h.sys = kernel{}
	holder := startReady(t, "lock", h.Dir())
	giveUp(t, h, Exclusive)
	p := h.places[lockExclusive][0]
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	require.NoError(t, <-p.got, "it was served")
	other := create(t, h.Dir())
	lock, err := other.Lock(ctx, Exclusive, nil)
	require.NoError(t, err, "and has given back")
	require.Nil(t, h.takePlace(lockExclusive), "nobody stands there any more")
	require.NoError(t, lock.Unlock())
}

// Who stands in the queue is served when the holder lets go.
func TestQueueIsServed(t *testing.T) {
	h, _ := newHome(t)
	h.sys = kernel{}
	first, err := create(t, h.Dir()).Lock(ctx, Exclusive, nil)
	require.NoError(t, err)
	got := make(chan error, 1)
	lock, err := h.Lock(ctx, Exclusive, func(Wait) { go func() { got <- first.Unlock() }() })
	require.NoError(t, err)
	require.NoError(t, <-got)
	require.NoError(t, lock.Unlock())
}
