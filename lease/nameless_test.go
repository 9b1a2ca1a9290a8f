//go:build linux || darwin || freebsd

package lease_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// nameless calls watch before every call to a disk that has no nameless files.
func nameless(watch func(memory.Call)) func(memory.Call) error {
	return func(c memory.Call) error {
		if c.Op == "Create" && c.Name == "" {
			return errors.ErrUnsupported
		}
		watch(c)
		return nil
	}
}

// machineOn is a process with a registry of its own on the disk.
func machineOn(t *testing.T, d *memory.Disk) (*lease.Registry, *memory.Process) {
	t.Helper()
	p := d.Process()
	p.Watch(nameless(func(memory.Call) {}))
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	reg, err := lease.New(home.Store(), home, lease.WithInspector(newWorld()))
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := reg.Close(); err != nil {
			require.ErrorIs(t, err, memory.ErrKilled)
		}
	})
	return reg, p
}

func helpersOn(t *testing.T, p *memory.Process) (names []string) {
	t.Helper()
	dir, err := p.OpenDir(-1, "/home/leases")
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close(dir)) }()
	all, err := p.Names(dir)
	require.NoError(t, err)
	for _, name := range all {
		if strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

// Without nameless files an acquire stages under names, before its lease has a lock: neither its own first sweep nor that of
// another process takes them, at whatever call the other one comes, and what a crash leaves of them is swept.
func TestStagedWithoutNamelessFiles(t *testing.T) {
	calls := 0
	reg, p := machineOn(t, memory.NewDisk())
	p.Watch(nameless(func(memory.Call) { calls++ }))
	h := acquire(t, reg, "mine")
	require.Len(t, helpersOn(t, p), 1, "its spare")
	release(t, h)
	require.Empty(t, helpersOn(t, p))

	met := 0
	for n := range calls {
		disk := memory.NewDisk()
		mine, p := machineOn(t, disk)
		other, q := machineOn(t, disk)
		at := 0
		p.Watch(nameless(func(memory.Call) {
			if at++; at == n+1 {
				if len(helpersOn(t, q)) > 0 {
					met++
				}
				swept(t, other)
			}
		}))
		h := acquire(t, mine, "mine")
		p.Watch(nameless(func(memory.Call) {}))
		require.Len(t, helpersOn(t, p), 1, "call %d took the spare", n)
		release(t, h)
		require.Empty(t, helpersOn(t, p))
	}
	require.NotZero(t, met, "no sweep met a staged file")
}

// swept has another process acquire, whose sweep comes first. It may have to do without: the catalogue lock may be held.
func swept(t *testing.T, reg *lease.Registry) {
	t.Helper()
	busy, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	h, err := reg.Acquire(busy, operationOf("other"), "")
	if err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return
	}
	release(t, h)
}

// What an acquire staged and did not publish, because it was killed, is swept by the next one.
func TestStagedWithoutNamelessFilesAndKilled(t *testing.T) {
	disk := memory.NewDisk()
	mine, p := machineOn(t, disk)
	p.Watch(nameless(func(c memory.Call) {
		if c.Op == "Flock" {
			p.Kill()
		}
	}))
	_, err := mine.Acquire(t.Context(), operationOf("mine"), "")
	require.ErrorIs(t, err, memory.ErrKilled)
	other, q := machineOn(t, disk)
	require.Len(t, helpersOn(t, q), 2)
	release(t, acquire(t, other, "other"))
	require.Empty(t, helpersOn(t, q))
	require.NotErrorIs(t, err, persist.ErrUnsettled)
}
