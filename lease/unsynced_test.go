//go:build linux || darwin || freebsd

package lease_test

import (
	"context"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Whatever an invocation or a doctor does, no sync is made while it holds the catalogue lock: a slow disk would stop everybody.
func TestNobodySyncsUnderTheCatalogueLock(t *testing.T) {
	disk := memory.NewDisk()
	first := disk.Process()
	reg, err := (&life{}).open(first, after(0, 0))
	require.NoError(t, err)
	bring(t, acquire(t, reg, "gone"), fsm.StateCleanupComplete)
	first.Kill()

	p := disk.Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	reg, err = lease.New(home.Store(), home, lease.WithInspector(after(1, 0)))
	require.NoError(t, err)
	calls := map[string]int{}
	p.Watch(mindful(t, disk, calls))
	for _, op := range lockers(t, reg) {
		clear(calls)
		require.NoError(t, op.do(), op.name)
		require.GreaterOrEqual(t, calls["Flock"], 2, op.name)
		require.NotZero(t, calls["Sync"], op.name)
	}
}

// mindful counts calls, and before each sync another process asks for the catalogue lock.
func mindful(t *testing.T, disk *memory.Disk, calls map[string]int) func(memory.Call) error {
	other, err := file.Open("/home", file.On(disk.Process()))
	require.NoError(t, err)
	return func(c memory.Call) error {
		calls[c.Op]++
		if c.Op == "Sync" || c.Op == "SyncData" {
			short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			lock, err := other.Lock(short, file.Exclusive, nil)
			require.NoError(t, err, "a sync under the catalogue lock")
			require.NoError(t, lock.Unlock())
		}
		return nil
	}
}

// A decision is the exception: it is written down when the look that nothing can come after has passed, so while the catalogue
// lock is held, and before anything is done.
func TestADecisionIsWrittenDownBetweenTheLastLookAndTheAct(t *testing.T) {
	disk := memory.NewDisk()
	first := disk.Process()
	reg, err := (&life{}).open(first, after(0, 0))
	require.NoError(t, err)
	retired := bring(t, acquire(t, reg, "retired"), fsm.StateHostActive).ID()
	first.Kill()
	p := disk.Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	malformed := persist.Attempt{Op: persist.Create, Key: uuid.NewString(), Next: []byte("{}")}
	require.NoError(t, malformed.Do(t.Context(), home.Store(), nil))
	reg, err = lease.New(home.Store(), home, lease.WithInspector(after(1, 0)))
	require.NoError(t, err)
	digest := func(id string) persist.Digest {
		i, err := reg.Inspect(t.Context(), id)
		require.NoError(t, err)
		return i.Digest
	}
	about := map[string]persist.Digest{retired: digest(retired), malformed.Key: digest(malformed.Key)}
	other, err := file.Open("/home", file.On(disk.Process()))
	require.NoError(t, err)
	var story []string
	p.Watch(func(c memory.Call) error {
		gone := len(story) == 4 // what follows is the owner's
		if c.Op == "Append" || c.Op == "Unlink" && c.Name == retired+".json" && !gone || c.Op == "Move" {
			story = append(story, c.Op)
			short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := other.Lock(short, file.Exclusive, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s without the catalogue lock", c.Op)
		}
		return nil
	})
	_, err = reg.Quarantine(t.Context(), malformed.Key, about[malformed.Key], word)
	require.NoError(t, err)
	_, err = reg.Retire(t.Context(), retired, about[retired], word)
	require.NoError(t, err)
	require.Equal(t, []string{"Append", "Move", "Append", "Unlink"}, story)
}

type locker struct {
	name string
	do   func() error
}

// lockers is everything that takes the catalogue lock and makes something durable.
func lockers(t *testing.T, reg *lease.Registry) []locker {
	ctx := t.Context()
	return []locker{
		{"a whole life", func() error { release(t, bring(t, acquire(t, reg, "alive"), fsm.StateHostActive)); return nil }},
		{"doctor", func() error {
			_, err := reg.Repair(ctx, lease.RepairOptions{Plugin: "gone", Apply: true})
			return err
		}},
		{"enable", func() error {
			return reg.EnablePlugin(ctx, &leasefile.PluginV1{Identity: identityOf("alive"), Executable: "/bin/true"})
		}},
		{"disable", func() error { return reg.DisablePlugin(ctx, "alive") }},
	}
}
