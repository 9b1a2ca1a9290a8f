//go:build linux || darwin || freebsd

package lease_test

import (
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// A removed lease costs nobody anything: what an acquire and a list ask of the disk in a home in which 1,000 leases lived and
// went is, call by call, what they ask in a fresh one, by the same process and by a new one.
func TestNoWorkForRemovedLeases(t *testing.T) {
	fresh, lived := memory.NewDisk(), memory.NewDisk()
	_, reg := registryOn(t, fresh)
	release(t, bring(t, acquire(t, reg, "acme"), fsm.StateHostActive))
	p, worn := registryOn(t, lived)
	for range 1000 {
		release(t, bring(t, acquire(t, worn, "acme"), fsm.StateHostActive))
	}
	require.Equal(t, work(t, fresh, nil, nil), work(t, lived, nil, nil), "a new process")
	freshP, again := registryOn(t, fresh)
	release(t, acquire(t, again, "acme"))
	require.Equal(t, work(t, fresh, freshP, again), work(t, lived, p, worn), "the process that removed them")
	calls := work(t, lived, p, worn)
	require.Contains(t, calls["acquire"], "Link")
	require.Contains(t, calls["list"], "Names")
}

func registryOn(t *testing.T, d *memory.Disk) (*memory.Process, *lease.Registry) {
	t.Helper()
	p := d.Process()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	reg, err := lease.New(home.Store(), home, lease.WithInspector(newWorld()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	return p, reg
}

// work is the calls of an acquire and of a list, of a new process where none is given.
func work(t *testing.T, d *memory.Disk, p *memory.Process, reg *lease.Registry) map[string][]string {
	t.Helper()
	if p == nil {
		p, reg = registryOn(t, d)
	}
	seen := map[string][]string{}
	during := func(what string, do func()) {
		p.Watch(func(c memory.Call) error { seen[what] = append(seen[what], c.Op); return nil })
		defer p.Watch(nil)
		do()
	}
	var h *lease.Handle
	during("acquire", func() { h = acquire(t, reg, "other") })
	during("list", func() {
		for i, err := range reg.List(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, h.ID(), i.ID)
		}
	})
	release(t, h)
	return seen
}
