//go:build linux || darwin || freebsd

package file

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// giveUp waits for the lock until the wait is long enough to be spoken of.
func giveUp(t *testing.T, h *Home, m Mode) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err := h.Lock(short, m, func(Wait) { cancel() })
	require.ErrorIs(t, err, context.Canceled)
}

func leftAt(t *testing.T, h *Home, how locking) []*place {
	left.Lock()
	defer left.Unlock()
	return slices.Clone(left.at[spot{inodeOf(t, h.root.join(lockName)).Inode, how}])
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
	require.Len(t, leftAt(t, h, lockExclusive), 1)
	require.Len(t, leftAt(t, h, lockShared), 1)

	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	for _, m := range []Mode{Exclusive, Shared, Exclusive} {
		lock, err := h.Lock(ctx, m, nil)
		require.NoError(t, err)
		require.NoError(t, lock.Unlock())
	}
}

// A home that is opened anew for each attempt leaves no more behind than one that is kept.
func TestGivingUpInTheQueueOfEachHome(t *testing.T) {
	h, _ := newHome(t)
	holder := startReady(t, "lock", h.Dir())
	attempt := func() {
		again := create(t, h.Dir())
		giveUp(t, again, Exclusive)
		require.NoError(t, again.Close())
	}
	attempt()
	before := runtime.NumGoroutine()
	for range 10 {
		attempt()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
}

// A place that was left and that nobody takes over gives the lock back by itself, and a new wait gets a new place.
func TestPlaceThatWasLeft(t *testing.T) {
	h, _ := newHome(t)
	h.sys = kernel{}
	holder := startReady(t, "lock", h.Dir())
	giveUp(t, h, Exclusive)
	p := leftAt(t, h, lockExclusive)[0]
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	require.NoError(t, <-p.got, "it was served")
	other := create(t, h.Dir())
	lock, err := other.Lock(ctx, Exclusive, nil)
	require.NoError(t, err, "and has given back")
	require.Empty(t, leftAt(t, h, lockExclusive), "nobody stands there any more")
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

// refusing fails whoever waits, and ends the context of that wait in the same moment.
type refusing struct {
	kernel
	end    context.CancelFunc
	closed atomic.Int32
}

func (r *refusing) AwaitFlock(int, locking) error { r.end(); return syscall.ENOLCK }
func (r *refusing) Close(fd int) error            { r.closed.Add(1); return r.kernel.Close(fd) }

// Whichever of the two is seen first, the descriptor is closed, and once.
func TestQueueFailsAsTheContextEnds(t *testing.T) {
	h, _ := newHome(t)
	for range 200 {
		f, err := h.lockFile()
		require.NoError(t, err)
		short, end := context.WithCancel(ctx)
		sys := &refusing{end: end}
		h.sys = sys
		_, err = h.queue(short, sys, f, lockExclusive)
		require.Error(t, err)
		require.Eventually(t, func() bool { return sys.closed.Load() > 0 }, 5*time.Second, time.Millisecond)
		require.EqualValues(t, 1, sys.closed.Load())
		h.sys = kernel{}
	}
}
