//go:build linux || darwin || freebsd

package lease_test

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// onDisk is a registry of a process on the disk.
func onDisk(t *testing.T, p *memory.Process, w *world, opts ...lease.Option) *lease.Registry {
	t.Helper()
	home, err := file.Create("/home", file.On(p))
	require.NoError(t, err)
	reg, err := lease.New(home.Store(), home, append(opts, lease.WithInspector(w))...)
	require.NoError(t, err)
	return reg
}

// The evidence cannot be put in place, and cannot be looked for: that is not known, but the lease was never published.
func TestUnsettledEvidenceIsNoUnsettledLease(t *testing.T) {
	p := memory.NewDisk().Process()
	reg := onDisk(t, p, newWorld())
	failed := ""
	p.Watch(func(c memory.Call) error {
		if c.Op == "Rename" && strings.HasSuffix(c.Name, ".json") {
			failed = c.Name
		}
		if failed != "" && c.Name == failed && (c.Op == "Rename" || c.Op == "Lstat") {
			return syscall.EIO
		}
		return nil
	})
	h, err := reg.Acquire(t.Context(), identityOf("acme"), "")
	require.NotEmpty(t, failed)
	require.ErrorIs(t, err, syscall.EIO)
	for _, outcome := range []error{lease.ErrUnsettled, lease.ErrNotDurable, lease.ErrChanged, persist.ErrExists} {
		require.NotErrorIs(t, err, outcome)
	}
	require.Nil(t, h)
	p.Watch(nil)
	for _, folder := range []string{"leases", "owners"} {
		fd, err := p.OpenDir(-1, "/home/"+folder)
		require.NoError(t, err)
		names, err := p.Names(fd)
		require.NoError(t, err)
		require.Empty(t, names, folder)
		require.NoError(t, p.Close(fd))
	}
	h, err = reg.Acquire(t.Context(), identityOf("acme"), "")
	require.NoError(t, err)
	require.NoError(t, h.Close())
}

// A writer of the audit log that was stopped in the middle of its line stops no doctor: the lease is removed, and the missing
// line is told.
func TestRepairBesideAStoppedWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := memory.NewDisk()
		owner, doctor, writer := d.Process(), d.Process(), d.Process()
		_, err := onDisk(t, owner, newWorld()).Acquire(t.Context(), identityOf("acme"), "")
		require.NoError(t, err)
		owner.Kill()
		const exclusively = 1 // disk.LockExclusive, whose package is persist's own
		log, err := writer.Create(-1, "/home/"+lease.AuditLog)
		require.NoError(t, err)
		require.NoError(t, writer.Flock(log, exclusively))

		w := newWorld()
		w.self.Identity = identity(101)
		w.live = nil
		var noted []error
		reg := onDisk(t, doctor, w, lease.WithObserver(func(o lease.Observation) {
			if o.Kind == lease.Noted {
				noted = append(noted, o.Err)
			}
		}))
		start := time.Now()
		rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.NoError(t, rows[0].Err)
		require.True(t, rows[0].Removed)
		require.Len(t, noted, 1)
		require.Less(t, time.Since(start), 5*time.Second)
		require.NoError(t, reg.Close())
	})
}
