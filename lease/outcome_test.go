package lease_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// outcome is a row of the table "what each outcome of the write means" in the lifecycle.
type outcome struct {
	fault   fault
	err     error // of the event; nil for none
	moved   bool  // memory afterwards
	frozen  bool
	durable bool
	next    error // what the next event says
	landed  bool  // memory after Resync, which then must be nil
}

var outcomes = []outcome{
	{none, nil, true, false, true, nil, true},
	{stageFails, errDisk, false, false, true, nil, false},
	{notDone, errDisk, false, false, true, nil, false},
	{changed, lease.ErrChanged, false, false, true, lease.ErrChanged, false},
	{notDurable, lease.ErrNotDurable, true, false, false, nil, true},
	{lostLanded, lease.ErrUnsettled, false, true, false, lease.ErrUnsettled, true},
	{lostForever, lease.ErrUnsettled, false, true, false, lease.ErrUnsettled, true},
	{landsLate, lease.ErrUnsettled, false, true, false, lease.ErrUnsettled, true},
	{panics, errDisk, false, true, false, lease.ErrUnsettled, true},
}

// caught runs do and returns its error, or what it panicked with.
func caught(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(error)
		}
	}()
	return do()
}

// is is require.ErrorIs that knows nil.
func is(t *testing.T, err, want error) {
	t.Helper()
	if want == nil {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, want)
	if want == lease.ErrUnsettled {
		require.NotErrorIs(t, err, lease.ErrNotDurable)
	}
}

// arrows are a replacement and a removal, each with an arrow that can follow whatever came of it.
var arrows = []struct {
	from, to fsm.State
	ev, next fsm.Event
}{
	{fsm.StateParentOwned, fsm.StateHostStarting, fsm.HostStarting, fsm.CleanupUnsafe},
	{fsm.StateCleanupComplete, fsm.StateReleased, fsm.Release, fsm.Release},
}

func TestOutcomes(t *testing.T) {
	for _, a := range arrows {
		for _, o := range outcomes {
			moves := map[bool]fsm.State{false: a.from, true: a.to}
			start := func(t *testing.T) (*site, *lease.Handle) {
				s := newSite(t)
				h := bring(t, s.acquire(t), a.from)
				s.store.next(o.fault)
				soon(t, func() { is(t, caught(func() error { return fire(t.Context(), h, a.ev) }), o.err) })
				return s, h
			}
			t.Run(string(a.ev)+"/"+string(o.fault), func(t *testing.T) {
				_, h := start(t)
				snap := h.Snapshot()
				require.Equal(t, moves[o.moved], snap.State)
				require.Equal(t, moves[o.moved], h.State())
				require.Equal(t, o.frozen, snap.Frozen)
				require.Equal(t, o.durable, snap.Durable)
				require.Equal(t, o.next == nil, h.Can(a.next))
				soon(t, func() { is(t, fire(t.Context(), h, a.next), o.next) })
			})
			t.Run(string(a.ev)+"/"+string(o.fault)+"/resync", func(t *testing.T) {
				s, h := start(t)
				soon(t, func() { require.NoError(t, h.Resync(t.Context())) })
				require.Equal(t, moves[o.landed], h.State())
				require.Equal(t, moves[o.landed], s.disk(t, h))
				s.store.arrive() // a late write finds its condition gone
				require.Equal(t, moves[o.landed], s.disk(t, h))
				snap := h.Snapshot()
				require.True(t, snap.Durable)
				require.False(t, snap.Frozen)
				require.NoError(t, snap.Err)
				require.NoError(t, fire(t.Context(), h, a.next))
				if h.State() == fsm.StateReleased {
					s.nothingLeft(t)
				}
			})
		}
	}
}

// TestLateWriteLandsBeforeResync: refused with our own bytes in place is a landing, also if they were first read back as old.
func TestLateWriteLandsBeforeResync(t *testing.T) {
	for _, a := range arrows {
		s := newSite(t)
		h := bring(t, s.acquire(t), a.from)
		s.store.next(landsLate)
		is(t, fire(t.Context(), h, a.ev), lease.ErrUnsettled)
		require.Equal(t, a.from, s.disk(t, h), "read back as old, which proves nothing")
		s.store.arrive()
		require.NoError(t, h.Resync(t.Context()))
		require.Equal(t, a.to, h.State())
	}
}

// TestResyncThatFails: a handle stays as doubtful as it was, and says which doubt it is.
func TestResyncThatFails(t *testing.T) {
	tests := []struct {
		name     string
		first    fault
		resync   []fault
		blind    error
		want     error
		frozen   bool
		durable  bool
		released bool
	}{
		{"no space to send it again", lostForever, []fault{stageFails}, nil, lease.ErrUnsettled, true, false, false},
		{"refused by the disk", landsLate, []fault{notDone}, nil, lease.ErrUnsettled, true, false, false},
		{"lost once more", lostForever, []fault{lostForever}, nil, lease.ErrUnsettled, true, false, false},
		{"landed, cannot be read", lostLanded, nil, errDisk, lease.ErrUnsettled, true, false, false},
		{"landed, its hardening fails", lostLanded, []fault{none, notDurable}, nil, lease.ErrNotDurable, false, false, false},
		{"now lands, not durable", lostForever, []fault{notDurable}, nil, lease.ErrNotDurable, false, false, false},
		{"still not durable", notDurable, []fault{none, notDurable}, nil, lease.ErrNotDurable, false, false, false},
		{"visible, no space to send it again", notDurable, []fault{stageFails}, nil, lease.ErrNotDurable, false, false, false},
		{"visible, cannot be read", notDurable, nil, errDisk, lease.ErrNotDurable, false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			h := s.acquire(t)
			s.store.next(tt.first)
			require.Error(t, fire(t.Context(), h, fsm.HostStarting))
			s.store.next(tt.resync...)
			s.store.see(tt.blind)
			is(t, h.Resync(t.Context()), tt.want)
			require.Equal(t, tt.frozen, h.Snapshot().Frozen)
			require.Equal(t, tt.durable, h.Snapshot().Durable)
			require.Equal(t, tt.frozen, h.State() == fsm.StateParentOwned)

			s.store.see(nil)
			s.store.next()
			require.NoError(t, h.Resync(t.Context()))
			require.Equal(t, fsm.StateHostStarting, h.State())
			require.True(t, h.Snapshot().Durable)
		})
	}
}

// TestDoubtSurvivesAFailedEvent: an event that wrote nothing proves nothing about the write before it.
func TestDoubtSurvivesAFailedEvent(t *testing.T) {
	for _, f := range []fault{stageFails, notDone} {
		s := newSite(t)
		h := bring(t, s.acquire(t), fsm.StateHostStarting)
		s.store.next(notDurable, f)
		require.ErrorIs(t, fire(t.Context(), h, fsm.HostStarted), lease.ErrNotDurable)
		require.ErrorIs(t, fire(t.Context(), h, fsm.CleanupComplete), errDisk)
		require.False(t, h.Snapshot().Durable, "host-active was never proved durable")
		s.store.next(none, notDurable)
		require.ErrorIs(t, h.Resync(t.Context()), lease.ErrNotDurable)
		require.NoError(t, h.Resync(t.Context()))
		require.True(t, h.Snapshot().Durable)
	}
}

func TestReleaseMayBeRepeated(t *testing.T) {
	s := newSite(t)
	h := bring(t, s.acquire(t), fsm.StateCleanupComplete)
	s.store.next(notDurable, none, notDurable)
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrNotDurable)
	require.Equal(t, fsm.StateReleased, h.State())
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrNotDurable)
	require.NoError(t, h.Release(t.Context()))
	s.nothingLeft(t)
	require.NoError(t, h.Release(t.Context()))
	require.NoError(t, h.Event(t.Context(), fsm.Release))
	require.NoError(t, h.Resync(t.Context()))
	require.ErrorIs(t, h.Event(t.Context(), fsm.CleanupUnsafe), lease.ErrRefused)
}

// nothingLeft: no lease, and nothing beside one.
func (s *site) nothingLeft(t testing.TB) {
	t.Helper()
	for _, dir := range []string{"leases", "owners"} {
		names, err := os.ReadDir(filepath.Join(s.dir, dir))
		require.NoError(t, err)
		require.Empty(t, names, dir)
	}
}

// TestAcquireOutcomes: a handle comes only with a lease that is, or may be, on disk.
func TestAcquireOutcomes(t *testing.T) {
	for _, o := range outcomes {
		t.Run(string(o.fault), func(t *testing.T) {
			s := newSite(t)
			s.store.next(o.fault)
			var h *lease.Handle
			err := caught(func() (err error) { h, err = s.Acquire(t.Context(), identityOf("acme"), ""); return err })
			is(t, err, o.err)
			if o.fault == panics {
				require.NoError(t, s.acquire(t).Close(), "nothing is wedged")
				return
			}
			if err != nil && !errors.Is(err, lease.ErrUnsettled) {
				require.Nil(t, h)
				s.nothingLeft(t)
				return
			}
			require.Equal(t, o.frozen, h.Snapshot().Frozen)
			require.Equal(t, o.durable, h.Snapshot().Durable)
			require.NoError(t, h.Resync(t.Context()))
			s.store.arrive()
			require.Equal(t, fsm.StateParentOwned, h.State())
			require.Equal(t, fsm.StateParentOwned, s.disk(t, h))
			require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
			require.NoError(t, h.Release(t.Context()))
			s.nothingLeft(t)
		})
	}
}
