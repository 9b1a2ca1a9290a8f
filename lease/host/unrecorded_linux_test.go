package host_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/persisttest"

	"github.com/stretchr/testify/require"
)

// Whatever becomes of the write that records the host, as long as it is not known to be durable the gate stays shut: nothing of the
// plugin runs, the gate is stopped, the owner is told, and once the write is settled the lease is completed and released.
func TestAHostThatIsNotOnRecordNeverRuns(t *testing.T) {
	for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
		for _, fault := range persisttest.Faults {
			if fault == persisttest.None || fault == persisttest.Slow {
				continue // no fault; and a wait for the context, which a run has of its own
			}
			t.Run(string(ev)+"/"+fault.String(), func(t *testing.T) { runsUnrecorded(t, ev, fault) })
		}
	}
}

func runsUnrecorded(t *testing.T, ev fsm.Event, fault persisttest.Fault) {
	home, err := file.Create(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	store := persisttest.NewFaulty(home.Store())
	reg, err := lease.New(store, home)
	require.NoError(t, err)
	defer reg.Close()
	h, err := reg.Acquire(t.Context(), identity, "")
	require.NoError(t, err)
	store.Next(append(faultsBefore(ev), fault)...)

	marker, life := filepath.Join(t.TempDir(), "ran"), newLifeline(t)
	cmd := exec.Command("touch", marker)
	cmd.Stdout = life.gift
	res, err := host.Run(t.Context(), h, cmd, host.WithBoundary("subreaper"))
	require.Error(t, err)
	require.ErrorIs(t, err, persisttest.ErrInjected)
	require.False(t, res.Started)
	require.NoFileExists(t, marker)
	life.requireCut()

	store.Deliver()
	if h.State() != fsm.StateCleanupComplete {
		require.ErrorIs(t, err, persist.ErrUnsettled, "a lease that is known is completed at once")
		require.NoError(t, h.Resync(t.Context()))
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	}
	require.NoError(t, h.Release(t.Context()))
	empty(t, reg)
}

// faultsBefore are those of the writes of a run before the one that goes wrong.
func faultsBefore(ev fsm.Event) []persisttest.Fault {
	if ev == fsm.HostStarted {
		return []persisttest.Fault{persisttest.None}
	}
	return nil
}
