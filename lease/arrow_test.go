package lease_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// steps is what one write of an arrow asks of the store.
var steps = map[fsm.Write][]string{
	fsm.WriteCreate:  {"stage", "create", "settle"},
	fsm.WriteReplace: {"stage", "replace", "settle"},
	fsm.WriteRemove:  {"remove", "settle"},
}

// TestOneWritePerArrow fires every event in every state that a handle can be in.
func TestOneWritePerArrow(t *testing.T) {
	for from := range path {
		for _, ev := range fsm.Events {
			t.Run(fmt.Sprintf("%s/%s", from, ev), func(t *testing.T) {
				s := newSite(t)
				h := bring(t, s.acquire(t), from)
				s.store.steps()
				seen := from
				s.store.on("settle", func(context.Context) { seen = h.State() })
				err := fire(t.Context(), h, ev)
				if row, arrow := fsm.Find(from, ev); arrow {
					require.NoError(t, err)
					require.Equal(t, steps[row.Write], s.store.steps(), "exactly one write")
					require.Equal(t, from, seen, "memory moves after the disk")
					require.Equal(t, row.To, h.State())
					require.Equal(t, row.To, s.disk(t, h))
					return
				}
				class, refused := fsm.Refusal(from, ev)
				require.Equal(t, refused, err != nil, "%v", err)
				var te *fsm.TransitionError
				if refused {
					require.ErrorAs(t, err, &te)
					require.Equal(t, class, te.Class)
				}
				require.Empty(t, s.store.steps(), "no write")
				require.Equal(t, from, h.State())
				require.Equal(t, from, s.disk(t, h))
				require.Equal(t, !refused, h.Can(ev))
			})
		}
	}
}

func TestAcquireIsOneWrite(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	require.Equal(t, steps[fsm.WriteCreate], s.store.steps())
	snap := h.Snapshot()
	require.Equal(t, lease.Snapshot{Lease: snap.Lease, Digest: snap.Digest, State: fsm.StateParentOwned, Durable: true}, snap)
	again, err := s.Handle(t.Context(), h.ID())
	require.NoError(t, err)
	require.Same(t, h, again)
}

func TestArguments(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	s.store.steps()
	cause := errors.New("why")
	for name, err := range map[string]error{
		"no host":           h.Event(t.Context(), fsm.HostStarting),
		"two hosts":         h.Event(t.Context(), fsm.HostStarting, host, host),
		"a pointer":         h.Event(t.Context(), fsm.HostStarting, &host),
		"a cause":           h.Event(t.Context(), fsm.CleanupComplete, cause),
		"an unwanted host":  h.Event(t.Context(), fsm.CleanupUnsafe, host),
		"release of a host": h.Event(t.Context(), fsm.Release, host),
	} {
		require.ErrorIs(t, err, lease.ErrBadArgument, name)
	}
	bad := host
	bad.PID = 0
	require.ErrorIs(t, h.Event(t.Context(), fsm.HostStarting, bad), lease.ErrInvalid)
	require.Empty(t, s.store.steps())
	require.NoError(t, h.Event(t.Context(), fsm.CleanupUnsafe, cause))
}

func TestClosedHandle(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	require.NoError(t, h.Close())
	require.NoError(t, h.Close())
	require.ErrorIs(t, h.Event(t.Context(), fsm.CleanupComplete), lease.ErrClosed)
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrClosed)
	require.ErrorIs(t, h.Resync(t.Context()), lease.ErrClosed)
	require.False(t, h.Can(fsm.CleanupComplete))
	_, err := s.Handle(t.Context(), h.ID())
	require.ErrorIs(t, err, lease.ErrNotOurs)
}
