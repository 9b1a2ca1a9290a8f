package etcd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist"
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

func TestWholeCycle(t *testing.T) {
	m := settleIn(t, newHome(t), nil)
	h := m.acquire(t)
	host := child(t)
	agrees(t, m.store, h)
	for _, step := range []struct {
		ev   fsm.Event
		args []any
	}{{fsm.HostStarting, []any{host}}, {fsm.HostStarted, []any{host}}, {fsm.CleanupComplete, nil}, {fsm.Release, nil}} {
		require.NoError(t, h.Event(t.Context(), step.ev, step.args...))
		agrees(t, m.store, h)
	}
}

// At every arrow the reply is lost for good, the old bytes are read back, and the write lands afterwards. The handle never says
// anything but what is so or that it does not know; after Resync it knows.
func TestHandleNeverLies(t *testing.T) {
	for _, landsFirst := range []bool{true, false} {
		name := map[bool]string{true: "lands before the resync", false: "lands after the release"}[landsFirst]
		t.Run(name, func(t *testing.T) {
			n := &network{t: t}
			m := settleIn(t, newHome(t), nil, hurried, n.option())
			host := child(t)
			n.let(held)
			h, err := m.Acquire(t.Context(), sample(m.store.machineOrNone(), "").Identity, "")
			require.NotNil(t, h)
			resolve(t, n, m, h, err, fsm.StateAbsent, landsFirst)
			for _, step := range []struct {
				ev   fsm.Event
				args []any
			}{{fsm.HostStarting, []any{host}}, {fsm.HostStarted, []any{host}}, {fsm.CleanupComplete, nil}, {fsm.Release, nil}} {
				before := h.State()
				n.let(held)
				resolve(t, n, m, h, h.Event(t.Context(), step.ev, step.args...), before, landsFirst)
			}
			require.Equal(t, fsm.StateReleased, h.State())
			require.NoError(t, h.Release(t.Context()), "to be done with the files in the home")
			require.Equal(t, !landsFirst, len(n.late) > 0)
			require.Zero(t, n.land(), "a copy that was held up changed something")
			require.Nil(t, content(t, m.store, h.ID()))
			names, err := m.home.RecordNames("owners")
			require.NoError(t, err)
			require.Empty(t, names)
		})
	}
}

// resolve looks at a handle whose last write was held up, and brings it back.
func resolve(t *testing.T, n *network, m machine, h *lease.Handle, err error, before fsm.State, landsFirst bool) {
	t.Helper()
	require.ErrorIs(t, err, lease.ErrUnsettled)
	require.NotErrorIs(t, err, lease.ErrNotDurable)
	frozen := func() {
		require.True(t, h.Snapshot().Frozen)
		require.Equal(t, before, h.State(), "memory is never ahead of the disk")
		require.False(t, h.Can(fsm.CleanupComplete))
		require.ErrorIs(t, h.Event(t.Context(), fsm.CleanupUnsafe), lease.ErrUnsettled)
	}
	frozen()
	old := content(t, m.store, h.ID()) // read back as old
	require.Equal(t, before == fsm.StateAbsent, old == nil)
	require.ErrorIs(t, h.Resync(t.Context()), lease.ErrUnsettled, "the network is still bad")
	if landsFirst {
		require.Positive(t, n.land())
		require.NotEqual(t, old, content(t, m.store, h.ID()))
		frozen()
	}
	n.let(pass)
	require.NoError(t, h.Resync(t.Context()))
	require.NotEqual(t, before, h.State())
	agrees(t, m.store, h)
}

// The leases are not files of the home: their evidence must not be swept as if they did not exist, but left-overs are.
func TestSweepBesideLeasesElsewhere(t *testing.T) {
	m := settleIn(t, newHome(t), nil)
	h := m.acquire(t)
	gone := sample(m.store.machineOrNone(), leasefile.ContainmentStatusParentOwned).LeaseID
	kept := sample(m.store.machineOrNone(), leasefile.ContainmentStatusCleanupComplete)
	kept.Identity.PluginID = "another"
	put(t, m.store, persist.Create, kept.LeaseID, nil, kept.AppendCanonical(nil))
	for _, id := range []string{gone, kept.LeaseID} {
		l, err := m.home.Claim(id)
		require.NoError(t, err)
		require.NoError(t, m.home.WriteRecord("owners/"+id+".empty", nil, file.Volatile))
		require.NoError(t, l.Close(), "its owner has died")
	}
	another := m.acquire(t)
	names, err := m.home.RecordNames("owners")
	require.NoError(t, err)
	require.Contains(t, names, "owners/"+kept.LeaseID+".empty", "the proof of a lease that is still there")
	require.NotContains(t, names, "owners/"+gone+".empty")
	for _, h := range []*lease.Handle{h, another} {
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
		require.NoError(t, h.Release(t.Context()))
	}
}

// elsewhere is a process inspector of a later boot: nothing recorded before runs.
type elsewhere struct {
	process.Inspector
	boot string
}

func (e elsewhere) Boot() (string, error) { return e.boot, nil }

func (e elsewhere) Status(id process.Identity, inode uint64) (process.Status, string) {
	if id.BootID != e.boot {
		return process.Dead, "of another boot"
	}
	return e.Inspector.Status(id, inode)
}

// A reboot: processes and handles of before cannot write, the doctor of that machine clears, and another machine's does not
// even see.
func TestRebootFencesAndClears(t *testing.T) {
	home := newHome(t)
	before := settleIn(t, home, nil)
	h := before.acquire(t)
	require.NoError(t, h.Event(t.Context(), fsm.CleanupUnsafe))
	live := before.acquireOf(t, "another")

	stranger := settleIn(t, newHome(t), elsewhere{process.New(), hex64("e")})
	rows, err := stranger.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Empty(t, rows, "the doctor of another machine, in another boot")
	require.NotNil(t, content(t, before.store, h.ID()))

	after := settleIn(t, reopen(t, home), elsewhere{process.New(), hex64("f")})
	state := live.State()
	err = live.Event(t.Context(), fsm.CleanupComplete)
	require.ErrorIs(t, err, ErrFenced)
	require.NotErrorIs(t, err, lease.ErrUnsettled)
	require.Equal(t, state, live.State())
	agrees(t, before.store, live)
	_, err = before.Acquire(t.Context(), identity("third"), "")
	require.ErrorIs(t, err, ErrFenced)

	found, err := after.Repair(t.Context(), lease.RepairOptions{Apply: true, Lease: h.ID()})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.False(t, found[0].Removed, "its owner's lock is held, by this very test: no other proof counts")
	require.NoError(t, os.Remove(filepath.Join(home.Dir(), "owners", h.ID()+".lock")))
	found, err = after.Repair(t.Context(), lease.RepairOptions{Apply: true, Lease: h.ID()})
	require.NoError(t, err)
	require.True(t, found[0].Removed, "%+v", found[0].Verdict)
	require.Nil(t, content(t, after.store, h.ID()))
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

// A clone that boots: a copy of the home names the same machine, and is refused before it can fence out the original.
func TestCloneIsRefused(t *testing.T) {
	original := settleIn(t, newHome(t), nil)
	h := original.acquire(t)
	copied := filepath.Join(t.TempDir(), "home")
	require.NoError(t, exec.Command("cp", "-a", original.home.Dir(), copied).Run())
	clone, err := file.Create(copied, file.AllowAnyFilesystem())
	require.NoError(t, err)
	defer clone.Close()
	for _, o := range [][]lease.Option{nil, {lease.ReadOnly()}} {
		_, err = lease.MachineOf(clone, append(o, lease.WithInspector(elsewhere{process.New(), hex64("c")}))...)
		require.ErrorIs(t, err, lease.ErrOtherHome)
	}
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
}
