package lease_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"
)

// TestWaitingIsToldAsInProduction: where nothing but the observer is the caller's, nobody is asked for a name until the
// observer is called in the middle of an event, and is refused there all the same.
func TestWaitingIsToldAsInProduction(t *testing.T) {
	dir := filepath.Join(fastDir(t), "home")
	var reg *lease.Registry
	var h *lease.Handle
	told, done := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	reg, err := lease.Open(t.Context(), dir, lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Waiting {
			once.Do(func() {
				require.ErrorIs(t, h.Event(context.Background(), fsm.CleanupUnsafe), lease.ErrBusy)
				_, err := reg.Acquire(context.Background(), identityOf("other"), "")
				require.ErrorIs(t, err, lease.ErrBusy)
				close(told)
			})
		}
	}))
	require.NoError(t, err)
	defer reg.Close()
	h, err = reg.Acquire(t.Context(), identityOf("acme"), "")
	require.NoError(t, err)
	home, err := file.Open(dir)
	require.NoError(t, err)
	defer home.Close()
	lock, err := home.Lock(t.Context(), file.Exclusive, nil)
	require.NoError(t, err)
	self, err := process.New().Self()
	require.NoError(t, err)
	go func() { done <- h.Event(context.Background(), fsm.HostStarting, lease.HostOf(self.Identity)) }()
	soon(t, func() {
		<-told
		require.NoError(t, lock.Unlock())
		require.NoError(t, <-done)
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete), "and afterwards it is heard again")
		require.NoError(t, h.Release(t.Context()))
	})
}
