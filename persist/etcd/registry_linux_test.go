package etcd

import (
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// machine is a real home with a store of its own: what a program has that keeps its leases in etcd.
type machine struct {
	*lease.Registry
	store *Store
	home  *file.Home
}

func newHome(t testing.TB) *file.Home {
	t.Helper()
	h, err := file.Create(filepath.Join(t.TempDir(), "home"), file.AllowAnyFilesystem())
	require.NoError(t, err)
	return h
}

// settle opens home's store and its registry. inspector may be nil.
func settleIn(t testing.TB, home *file.Home, inspector process.Inspector, opts ...Option) machine {
	t.Helper()
	var o []lease.Option
	if inspector != nil {
		o = append(o, lease.WithInspector(inspector))
	}
	m, err := lease.MachineOf(home, o...)
	require.NoError(t, err)
	s := open(t, m, opts...)
	reg, err := lease.New(s, home, o...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = reg.Close() })
	return machine{reg, s, home}
}

func (m machine) acquire(t testing.TB) *lease.Handle {
	t.Helper()
	h, err := m.Acquire(t.Context(), sample(m.store.machineOrNone(), "").Identity, "")
	require.NoError(t, err)
	return h
}

func (s *Store) machineOrNone() (m leasefile.MachineV1) {
	if s.machine != nil {
		m = s.machine.ours
	}
	return m
}

// agrees holds invariant I6: what the handle says is what the cluster has, unless the handle says that it does not know.
func agrees(t testing.TB, s *Store, h *lease.Handle) {
	t.Helper()
	snap := h.Snapshot()
	require.False(t, snap.Frozen)
	if snap.State == fsm.StateReleased {
		require.Nil(t, content(t, s, h.ID()))
		return
	}
	require.Equal(t, string(snap.Lease.AppendCanonical(nil)), string(content(t, s, h.ID())))
	require.Equal(t, string(snap.Lease.Containment.Status), string(snap.State))
}

// child is a process to name as a host.
func child(t testing.TB) leasefile.Host {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	p, err := process.New().Lookup(int64(cmd.Process.Pid))
	require.NoError(t, err)
	return lease.HostOf(p.Identity)
}

func identity(plugin string) leasefile.OperationIdentity {
	op := sample(newMachine(), "").Identity
	op.PluginID = plugin
	return op
}

func (m machine) acquireOf(t testing.TB, plugin string) *lease.Handle {
	t.Helper()
	h, err := m.Acquire(t.Context(), identity(plugin), "")
	require.NoError(t, err)
	return h
}

func reopen(t testing.TB, home *file.Home) *file.Home {
	t.Helper()
	again, err := file.Create(home.Dir(), file.AllowAnyFilesystem())
	require.NoError(t, err)
	return again
}
