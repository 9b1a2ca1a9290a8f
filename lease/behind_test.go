package lease_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// TestReadOnlyWritesNothing also on a home that has no lock file.
func TestReadOnlyWritesNothing(t *testing.T) {
	for _, lockFile := range []bool{true, false} {
		s := newSite(t)
		dead := leaseOf(fsm.StateCleanupComplete, identity(300))
		s.plant(t, dead, false)
		s.plant(t, leaseOf(fsm.StateHostActive, identity(100)), true)
		s.write(t, "foreign", nil)
		if !lockFile {
			require.NoError(t, os.Remove(s.dir+"/lock"))
		}
		before := tree(t, s.dir)
		r, err := lease.Open(t.Context(), s.dir, lease.ReadOnly(), lease.WithInspector(s.world))
		require.NoError(t, err)
		n := 0
		for _, err := range r.List(t.Context()) {
			require.NoError(t, err)
			n++
		}
		require.Equal(t, 3, n)
		_, err = r.Inspect(t.Context(), dead.LeaseID)
		require.NoError(t, err)
		plan, err := r.Repair(t.Context(), lease.RepairOptions{})
		require.NoError(t, err)
		require.Len(t, plan, 3)
		_, err = r.Repair(t.Context(), lease.RepairOptions{Apply: true})
		require.ErrorIs(t, err, lease.ErrReadOnly)
		_, err = r.Acquire(t.Context(), identityOf("acme"), "")
		require.ErrorIs(t, err, lease.ErrReadOnly)
		require.NoError(t, r.Close())
		require.Equal(t, before, tree(t, s.dir))
	}
}

func TestCloseWithoutRelease(t *testing.T) {
	s := newSite(t)
	h := s.acquire(t)
	require.NoError(t, h.Close())
	other := openSite(t, s.dir, s.world)
	held, err := other.home.Probe(h.ID())
	require.NoError(t, err)
	require.Equal(t, file.Held, held)
	require.ErrorIs(t, other.blocked(t, "acme", lease.Exclusive()), lease.ErrHeld)

	unsafe := bring(t, s.acquire(t), fsm.StateCleanupUnsafe)
	require.NoError(t, unsafe.Close())
	require.Equal(t, verdict.BlockedUnsafe, other.blocked(t, "acme").Block)
	rows, err := other.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	for _, r := range rows {
		require.False(t, r.Removed, "a held lock is never removed")
	}
}

func TestBehindTheHandle(t *testing.T) {
	tests := map[string]struct {
		do   func(t *testing.T, s *site, h *lease.Handle)
		want error
	}{
		"lock removed": {func(t *testing.T, s *site, h *lease.Handle) {
			require.NoError(t, os.Remove(s.dir+"/owners/"+h.ID()+".lock"))
		}, lease.ErrLostLock},
		"lock replaced": {func(t *testing.T, s *site, h *lease.Handle) {
			p := s.dir + "/owners/" + h.ID() + ".lock"
			require.NoError(t, os.WriteFile(p+".x", nil, 0o600))
			require.NoError(t, os.Rename(p+".x", p))
		}, lease.ErrLostLock},
		"lease removed": {func(t *testing.T, s *site, h *lease.Handle) {
			require.NoError(t, os.Remove(s.leaseFile(h.ID())))
		}, lease.ErrChanged},
		"lease changed": {func(t *testing.T, s *site, h *lease.Handle) {
			l := h.Snapshot().Lease
			l.Containment.Status = leasefile.ContainmentStatusCleanupUnsafe
			require.NoError(t, os.WriteFile(s.leaseFile(h.ID()), l.AppendCanonical(nil), 0o600))
		}, lease.ErrChanged},
	}
	for name, tt := range tests {
		for _, frozen := range []bool{false, true} {
			t.Run(name+map[bool]string{true: "/frozen"}[frozen], func(t *testing.T) {
				s := newSite(t)
				h := s.acquire(t)
				if frozen {
					s.store.next(lostForever)
					require.ErrorIs(t, fire(t.Context(), h, fsm.HostStarting), lease.ErrUnsettled)
				}
				tt.do(t, s, h)
				before, _ := os.ReadFile(s.leaseFile(h.ID()))
				if !frozen {
					require.ErrorIs(t, fire(t.Context(), h, fsm.HostStarting), tt.want)
					require.ErrorIs(t, h.Snapshot().Err, tt.want)
					require.ErrorIs(t, fire(t.Context(), h, fsm.CleanupComplete), tt.want)
				}
				require.ErrorIs(t, h.Resync(t.Context()), tt.want)
				require.Equal(t, fsm.StateParentOwned, h.State())
				require.False(t, h.Can(fsm.HostStarting))
				after, err := os.ReadFile(s.leaseFile(h.ID()))
				require.Equal(t, name == "lease removed", errors.Is(err, os.ErrNotExist))
				require.Equal(t, before, after, "never written back")
			})
		}
	}
}

func TestHandleOf(t *testing.T) {
	s := newSite(t)
	l := leaseOf(fsm.StateParentOwned, identity(300))
	_, err := s.Handle(t.Context(), l.LeaseID)
	require.ErrorIs(t, err, lease.ErrNotExist)
	s.plant(t, l, false)
	_, err = s.Handle(t.Context(), l.LeaseID)
	require.ErrorIs(t, err, lease.ErrNotOurs)
	s.write(t, l.LeaseID+".json", nil)
	_, err = s.Handle(t.Context(), l.LeaseID)
	require.ErrorIs(t, err, lease.ErrInvalid)
}

// TestOpenAtOnce: many open a new home together, and nobody takes it for another machine's.
func TestOpenAtOnce(t *testing.T) {
	for range 100 {
		dir, done := filepath.Join(fastDir(t), "home"), make(chan error, 4)
		for range cap(done) {
			go func() {
				r, err := lease.Open(t.Context(), dir, lease.WithInspector(newWorld()), lease.WithHome(file.AllowAnyFilesystem()))
				if err == nil {
					_, err = r.Acquire(t.Context(), identityOf("acme"), "")
					err = errors.Join(err, r.Close())
				}
				done <- err
			}()
		}
		for range cap(done) {
			require.NoError(t, <-done)
		}
	}
}

// TestUnlockThatFails: the lock is gone all the same, and what was published stays published.
func TestUnlockThatFails(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds the lock's descriptor in /proc")
	}
	s := newSite(t)
	h := s.acquire(t)
	n := 0
	s.store.on("replace", func(context.Context) { n += closeEvery(t, s.dir+"/lock") })
	require.NoError(t, fire(t.Context(), h, fsm.HostStarting))
	require.Equal(t, 1, n)
	require.Equal(t, s.disk(t, h), h.State())
	s.store.on("", nil)
	require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
}

// closeEvery closes this process's descriptors of a file behind the back of who has them.
func closeEvery(t *testing.T, path string) (n int) {
	for _, name := range names(t, "/proc/self/fd") {
		fd, err := strconv.Atoi(name)
		require.NoError(t, err)
		if to, _ := os.Readlink(fmt.Sprint("/proc/self/fd/", fd)); to == path {
			require.NoError(t, os.NewFile(uintptr(fd), path).Close())
			n++
		}
	}
	return n
}
