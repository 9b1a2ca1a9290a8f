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

// Whatever a registry does, no sync is made while it holds the catalogue lock: a slow disk would stop everybody.
func TestNobodySyncsUnderTheCatalogueLock(t *testing.T) {
	disk := memory.NewDisk()
	first := disk.Process()
	reg, err := (&life{}).open(first, after(0, 0))
	require.NoError(t, err)
	bring(t, acquire(t, reg, "gone"), fsm.StateCleanupComplete)
	retired := bring(t, acquire(t, reg, "retired"), fsm.StateHostActive).ID()
	first.Kill()

	p := disk.Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	malformed := persist.Attempt{Op: persist.Create, Key: uuid.NewString(), Next: []byte("{}")}
	require.NoError(t, malformed.Do(t.Context(), home.Store(), nil))
	reg, err = lease.New(home.Store(), home, lease.WithInspector(after(1, 0)))
	require.NoError(t, err)
	calls := map[string]int{}
	p.Watch(mindful(t, disk, calls))
	for _, op := range lockers(t, reg, malformed.Key, retired) {
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

type locker struct {
	name string
	do   func() error
}

// lockers is everything that takes the catalogue lock and makes something durable.
func lockers(t *testing.T, reg *lease.Registry, malformed, retired string) []locker {
	ctx := t.Context()
	digest := func(id string) persist.Digest {
		i, err := reg.Inspect(ctx, id)
		require.NoError(t, err)
		return i.Digest
	}
	return []locker{
		{"quarantine", func() error { // first, for what is malformed stops everybody
			_, err := reg.Quarantine(ctx, malformed, digest(malformed), word)
			return err
		}},
		{"a whole life", func() error { release(t, bring(t, acquire(t, reg, "alive"), fsm.StateHostActive)); return nil }},
		{"doctor", func() error {
			_, err := reg.Repair(ctx, lease.RepairOptions{Plugin: "gone", Apply: true})
			return err
		}},
		{"retire", func() error { _, err := reg.Retire(ctx, retired, digest(retired), word); return err }},
		{"enable", func() error {
			return reg.EnablePlugin(ctx, &leasefile.PluginV1{Identity: identityOf("alive"), Executable: "/bin/true"})
		}},
		{"disable", func() error { return reg.DisablePlugin(ctx, "alive") }},
	}
}
