package lease_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

func TestContextThatEndsDuringTheWrite(t *testing.T) {
	for _, step := range []string{"stage", "replace", "settle"} {
		s := newSite(t)
		h := s.acquire(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.store.on(step, func(context.Context) { cancel() })
		err := fire(ctx, h, fsm.HostStarting)
		if step == "stage" { // it ends in the wait for the lock: not written
			require.ErrorIs(t, err, context.Canceled)
		} else {
			require.NoError(t, err, "a publication once begun is brought to its end")
		}
		require.Equal(t, s.disk(t, h), h.State())
		s.store.on("", nil)
		require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete), "not wedged")
		require.NoError(t, h.Release(t.Context()))
	}
}

func TestContextThatEndedBefore(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	s.store.steps()
	before := h.Snapshot()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, fire(ctx, h, fsm.HostStarting), context.Canceled)
	require.ErrorIs(t, h.Resync(ctx), context.Canceled)
	require.Equal(t, before, h.Snapshot())
	_, err := s.Acquire(ctx, identityOf("acme"), "")
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, s.store.steps())
}

// TestWhileAWriteIsBlocked: questions are answered, and a wait for the turn ends with its context.
func TestWhileAWriteIsBlocked(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	s.store.on("settle", func(context.Context) { close(inside); <-goOn })
	result := make(chan error, 1)
	go func() { result <- fire(context.Background(), h, fsm.HostStarting) }()
	soon(t, func() {
		<-inside
		require.Equal(t, fsm.StateParentOwned, h.State(), "the disk says more by now, memory follows")
		require.Equal(t, fsm.StateParentOwned, h.Snapshot().State)
		require.False(t, h.Can(fsm.HostStarted))
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		require.ErrorIs(t, fire(ctx, h, fsm.CleanupComplete), context.DeadlineExceeded)
		require.ErrorIs(t, h.Resync(ctx), context.DeadlineExceeded)
		close(goOn)
		require.NoError(t, <-result)
	})
	require.Equal(t, fsm.StateHostStarting, h.State())
}

// TestEventInsideAnObserver: it is told outside of the transition, in order, and one thing at a time.
func TestEventInsideAnObserver(t *testing.T) {
	var h *lease.Handle
	var told []fsm.State
	var depth atomic.Int32
	s := newSite(t, lease.WithObserver(func(o lease.Observation) {
		require.Equal(t, int32(1), depth.Add(1), "one at a time")
		defer depth.Add(-1)
		told = append(told, o.To)
		switch o.To {
		case fsm.StateHostStarting:
			require.NoError(t, fire(t.Context(), h, fsm.HostStarted))
		case fsm.StateHostActive:
			require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
		}
	}))
	h = s.acquire(t)
	soon(t, func() { require.NoError(t, fire(t.Context(), h, fsm.HostStarting)) })
	require.Equal(t, []fsm.State{fsm.StateParentOwned, fsm.StateHostStarting, fsm.StateHostActive, fsm.StateCleanupComplete}, told)
}

// trespass asks everything that would have to wait for the transition that it is inside of.
func trespass(t *testing.T, s *site, own, other *lease.Handle, ctx context.Context) {
	for _, ctx := range []context.Context{ctx, context.Background()} {
		for _, h := range []*lease.Handle{own, other} {
			if h == nil {
				continue
			}
			require.ErrorIs(t, fire(ctx, h, fsm.CleanupUnsafe), lease.ErrBusy)
			require.ErrorIs(t, h.Release(ctx), lease.ErrBusy)
			require.ErrorIs(t, h.Resync(ctx), lease.ErrBusy)
			require.ErrorIs(t, h.Close(), lease.ErrBusy)
		}
		_, err := s.Acquire(ctx, identityOf("acme"), "")
		require.ErrorIs(t, err, lease.ErrBusy)
		_, err = s.Repair(ctx, lease.RepairOptions{Apply: true})
		require.ErrorIs(t, err, lease.ErrBusy)
	}
}

func TestEventInsideAStore(t *testing.T) {
	for _, step := range []string{"stage", "replace", "settle"} {
		s := newSite(t)
		other := s.acquire(t)
		h := s.acquire(t)
		n := 0
		s.store.on(step, func(ctx context.Context) { n++; trespass(t, s, h, other, ctx) })
		soon(t, func() { require.NoError(t, fire(t.Context(), h, fsm.HostStarting)) })
		require.Equal(t, 1, n)
		require.Equal(t, fsm.StateHostStarting, h.State())
		require.Equal(t, fsm.StateParentOwned, other.State())
	}
}

func TestEventInsideAClock(t *testing.T) {
	var ask func()
	s := newSite(t, lease.WithClock(func() time.Time {
		if do := ask; do != nil {
			ask = nil
			do()
		}
		return time.Unix(0, 0)
	}))
	h := s.acquire(t)
	n := 0
	ask = func() { n++; trespass(t, s, h, nil, t.Context()) }
	soon(t, func() { require.NoError(t, fire(t.Context(), h, fsm.HostStarting)) })
	require.Equal(t, 1, n)
}

func TestEventInsideAnInspector(t *testing.T) {
	s := newSite(t)
	other := s.acquire(t)
	n := 0
	s.world.asked = func() {
		if n++; n != 2 { // first when the lease is made, in no transition; then under the catalogue lock
			return
		}
		trespass(t, s, nil, other, t.Context())
	}
	soon(t, func() { s.acquire(t) })
	require.Greater(t, n, 2)
	require.Equal(t, fsm.StateParentOwned, other.State())
}

// TestWaitingIsTold: from inside a wait nothing can be asked that would wait behind it.
func TestWaitingIsTold(t *testing.T) {
	told := make(chan struct{})
	var once sync.Once
	var s *site
	s = newSite(t, lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Waiting {
			once.Do(func() { trespass(t, s, nil, nil, context.Background()); close(told) })
		}
	}))
	lock, err := s.home.Lock(t.Context(), 1, nil)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { _, err := s.Acquire(context.Background(), identityOf("acme"), ""); done <- err }()
	soon(t, func() {
		<-told
		require.NoError(t, lock.Unlock())
		require.NoError(t, <-done)
	})
}

// TestPanickingStore: the handle is frozen, no lock stays behind, and Resync brings the truth.
func TestPanickingStore(t *testing.T) {
	for _, step := range []string{"stage", "replace", "settle"} {
		s := newSite(t)
		h := s.acquire(t)
		s.store.on(step, func(context.Context) { panic(errDisk) })
		require.ErrorIs(t, caught(func() error { return fire(t.Context(), h, fsm.HostStarting) }), errDisk)
		s.store.on("", nil)
		soon(t, func() {
			require.True(t, h.Snapshot().Frozen)
			require.ErrorIs(t, fire(t.Context(), h, fsm.CleanupComplete), lease.ErrUnsettled)
			s.acquire(t) // wants the exclusive lock
			require.NoError(t, h.Resync(t.Context()))
			require.Equal(t, fsm.StateHostStarting, h.State())
			require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	for range 50 {
		s := newSite(t)
		h := bring(t, s.acquire(t), fsm.StateHostActive)
		s.store.steps()
		var complete, refused atomic.Int32
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				switch err := fire(context.Background(), h, fsm.CleanupComplete); {
				case err == nil:
					complete.Add(1)
				case errors.Is(err, lease.ErrRefused):
					refused.Add(1)
				}
			})
			all.Go(func() {
				if errors.Is(fire(context.Background(), h, fsm.HostStarted), lease.ErrRefused) {
					refused.Add(1)
				}
			})
			all.Go(func() {
				snap := h.Snapshot()
				if string(snap.State) != string(snap.Lease.Containment.Status) {
					t.Errorf("state %s beside lease %s", snap.State, snap.Lease.Containment.Status)
				}
			})
		}
		all.Wait()
		require.Equal(t, int32(16), complete.Load())
		require.Equal(t, int32(16), refused.Load())
		require.Equal(t, steps[fsm.WriteReplace], s.store.steps(), "one write")
	}
}
