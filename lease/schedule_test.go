package lease_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// TestSchedules walks handles through random faults and holds them against the disk after every step: memory is never
// ahead of it (I3), and where they differ the handle says that it is frozen (I6).
func TestSchedules(t *testing.T) {
	ends := map[fsm.State]int{}
	var s *site
	for seed := range uint64(3000) {
		if seed%100 == 0 { // a buried handle keeps its lock
			s = newSite(t)
		}
		m := &model{rng: rand.New(rand.NewPCG(seed, 1)), s: s}
		m.h = s.acquire(t)
		for range 12 {
			m.step(t)
		}
		ends[m.finish(t)]++
		m.bury(t)
	}
	t.Logf("ends: %v", ends)
	require.Len(t, ends, len(path), "every state is an end of some schedule")
}

// model knows what a handle may say.
type model struct {
	rng   *rand.Rand
	s     *site
	h     *lease.Handle
	doubt bool // something visible was not proved durable, and nothing was since
	log   []string
}

func (m *model) step(t *testing.T) {
	t.Helper()
	switch m.rng.IntN(10) {
	case 0:
		m.s.store.arrive()
		m.log = append(m.log, "arrive")
	case 1, 2:
		m.faults(2)
		if m.rng.IntN(4) == 0 {
			m.s.store.see(errDisk)
		}
		err := caught(func() error { return m.h.Resync(t.Context()) })
		m.note("resync", err)
		m.learn(err)
		m.s.store.see(nil)
	default:
		m.faults(1)
		ev := fsm.Events[m.rng.IntN(len(fsm.Events))]
		from := m.h.Snapshot()
		err := caught(func() error { return fire(t.Context(), m.h, ev) })
		m.note(ev, err)
		row, arrow := fsm.Find(from.State, ev)
		moved := m.h.State() != from.State
		acknowledged := arrow && (err == nil || errors.Is(err, lease.ErrNotDurable))
		require.Equal(t, acknowledged, moved, "%v", m.log)
		require.False(t, moved && m.h.State() != row.To, "%v", m.log)
		if moved || ev == fsm.Release && from.State == fsm.StateReleased {
			m.learn(err)
		}
	}
	m.s.store.next()
	m.check(t)
}

// faults scripts up to n faults. A store that says "changed" while a write of ours is on its way lies.
func (m *model) faults(n int) {
	var script []fault
	for range n {
		f := faults[m.rng.IntN(len(faults))]
		if f == changed && len(m.s.store.late) > 0 || m.rng.IntN(3) == 0 {
			f = none
		}
		script = append(script, f)
	}
	m.s.store.next(script...)
	m.log = append(m.log, fmt.Sprint(script))
}

// learn keeps whether what is visible was proved durable.
func (m *model) learn(err error) {
	switch {
	case err == nil:
		m.doubt = false
	case errors.Is(err, lease.ErrNotDurable):
		m.doubt = true
	}
}

func (m *model) note(what any, err error) { m.log = append(m.log, fmt.Sprintf("%v: %v", what, err)) }

func (m *model) check(t *testing.T) {
	t.Helper()
	snap, disk := m.h.Snapshot(), m.s.disk(t, m.h)
	if snap.Frozen {
		_, next := arrowTo(snap.State, disk)
		require.True(t, disk == snap.State || next, "frozen in %s, the disk says %s: %v", snap.State, disk, m.log)
		return
	}
	require.Equal(t, disk, snap.State, "%v", m.log)
	require.Equal(t, m.doubt, !snap.Durable, "%v", m.log)
	if disk == fsm.StateReleased {
		return
	}
	require.Equal(t, persist.DigestOf(snap.Lease.AppendCanonical(nil)), snap.Digest)
	require.Equal(t, string(snap.State), string(snap.Lease.Containment.Status))
}

// bury makes room for the next schedule.
func (m *model) bury(t *testing.T) {
	t.Helper()
	if m.h.State() == fsm.StateCleanupUnsafe { // nothing but a doctor clears it
		require.NoError(t, os.Remove(m.s.leaseFile(m.h.ID())))
		require.NoError(t, m.h.Close())
		return
	}
	if m.h.State() != fsm.StateReleased {
		require.NoError(t, m.h.Event(t.Context(), fsm.CleanupComplete))
	}
	require.NoError(t, m.h.Release(t.Context()))
}

func arrowTo(from, to fsm.State) (fsm.Row, bool) {
	for _, r := range fsm.Table {
		if r.From == from && r.To == to {
			return r, true
		}
	}
	return fsm.Row{}, false
}

// finish ends the faults: then Resync must make everything definite.
func (m *model) finish(t *testing.T) fsm.State {
	t.Helper()
	if m.rng.IntN(2) == 0 {
		m.s.store.arrive()
	}
	require.NoError(t, m.h.Resync(t.Context()), "%v", m.log)
	m.s.store.arrive()
	m.doubt = false
	snap := m.h.Snapshot()
	require.False(t, snap.Frozen)
	require.NoError(t, snap.Err)
	m.check(t)
	return snap.State
}
