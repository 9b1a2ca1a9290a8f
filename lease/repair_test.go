package lease_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist"

	"github.com/stretchr/testify/require"
)

var gone = identity(300) // an owner that is dead in every world

func TestRepairPlansAndApplies(t *testing.T) {
	tests := []struct {
		state   fsm.State
		held    bool
		mode    verdict.Mode
		removed bool
	}{
		{fsm.StateCleanupComplete, false, verdict.Repair, true},
		{fsm.StateCleanupComplete, false, "", true},
		{fsm.StateParentOwned, false, verdict.Repair, false},
		{fsm.StateParentOwned, false, verdict.Recover, true},
		{fsm.StateHostStarting, false, "", true},
		{fsm.StateHostActive, false, "", false},
		{fsm.StateCleanupUnsafe, false, "", false},
		{fsm.StateCleanupComplete, true, "", false},
		{fsm.StateParentOwned, true, "", false},
	}
	for _, tt := range tests {
		s := newSite(t)
		l := leaseOf(tt.state, gone)
		s.plant(t, l, tt.held)
		before := tree(t, s.dir)
		for _, apply := range []bool{false, true} {
			rows, err := s.Repair(t.Context(), lease.RepairOptions{Mode: tt.mode, Apply: apply})
			require.NoError(t, err)
			require.Len(t, rows, 1)
			require.NoError(t, rows[0].Err)
			require.Equal(t, tt.removed, rows[0].Removable, "%+v", tt)
			require.Equal(t, tt.removed && apply, rows[0].Removed, "%+v", tt)
			if !apply || !tt.removed {
				require.Equal(t, before, tree(t, s.dir))
			}
		}
		if tt.removed {
			s.nothingLeft(t)
		}
	}
}

func TestRepairLooksOnlyWhereItIsTold(t *testing.T) {
	s := newSite(t)
	a, b := leaseOf(fsm.StateCleanupComplete, gone), leaseOf(fsm.StateCleanupComplete, gone)
	b.Identity.PluginID = "other"
	s.plant(t, a, false)
	s.plant(t, b, false)
	for _, o := range []lease.RepairOptions{{Plugin: "acme"}, {Lease: a.LeaseID}} {
		rows, err := s.Repair(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Equal(t, a.LeaseID, rows[0].ID)
	}
}

// TestRepairJudgesAgain: what moves between plan and removal is not removed.
func TestRepairJudgesAgain(t *testing.T) {
	other := leaseOf(fsm.StateCleanupComplete, gone)
	tests := map[string]struct {
		step string
		nth  int
		do   func(t *testing.T, s *site, l *leasefile.LeaseV2)
		err  error
	}{
		"other bytes before it judges again": {"read", 2, rewrite(other), nil},
		"other bytes after it":               {"remove", 1, rewrite(other), lease.ErrChanged},
		"removed by somebody else": {"read", 2, func(t *testing.T, s *site, l *leasefile.LeaseV2) {
			require.NoError(t, os.Remove(s.leaseFile(l.LeaseID)))
		}, nil},
		"its lock is taken": {"read", 1, func(t *testing.T, s *site, l *leasefile.LeaseV2) {
			lock, err := openSite(t, s.dir, s.world).home.Seize(l.LeaseID)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, lock.Close()) })
		}, nil},
		"its host turns out to be alive": {"read", 2, func(t *testing.T, s *site, l *leasefile.LeaseV2) { s.world.live[identity(200)] = true }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			l := leaseOf(fsm.StateCleanupComplete, gone)
			s.plant(t, l, false)
			n := 0
			var now []byte
			s.store.on(tt.step, func(context.Context) {
				if n++; n == tt.nth {
					tt.do(t, s, l)
					now, _ = os.ReadFile(s.leaseFile(l.LeaseID))
				}
			})
			rows, err := s.Repair(t.Context(), lease.RepairOptions{Apply: true})
			require.NoError(t, err)
			require.Len(t, rows, 1)
			require.True(t, rows[0].Removable, "the plan")
			require.False(t, rows[0].Removed)
			is(t, rows[0].Err, tt.err)
			require.GreaterOrEqual(t, n, tt.nth)
			left, _ := os.ReadFile(s.leaseFile(l.LeaseID))
			require.Equal(t, now, left)
		})
	}
}

// rewrite has somebody change the lease, as no owner would.
func rewrite(other *leasefile.LeaseV2) func(*testing.T, *site, *leasefile.LeaseV2) {
	return func(t *testing.T, s *site, l *leasefile.LeaseV2) {
		changed := *l
		changed.RunID = other.RunID
		s.write(t, l.LeaseID+".json", changed.AppendCanonical(nil))
	}
}

func TestRecoverFirst(t *testing.T) {
	s := newSite(t)
	s.plant(t, leaseOf(fsm.StateHostStarting, gone), false)
	require.Equal(t, verdict.BlockedUnverifiable, s.blocked(t, "acme").Block)
	h := s.acquire(t, lease.RecoverFirst())
	require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
	s.nothingLeft(t)
	stuck := leaseOf(fsm.StateHostActive, gone)
	s.plant(t, stuck, false)
	require.Equal(t, stuck.LeaseID, s.blocked(t, "acme", lease.RecoverFirst()).Lease.ID)
}

// TestDoctorsAndOwners: two doctors and two owners who want to be alone, each with descriptors of its own, around a lease
// that is gone. It is removed once, no live lease ever is, and no two are alone together.
func TestDoctorsAndOwners(t *testing.T) {
	root := newSite(t)
	var sites []*site
	for range 4 {
		sites = append(sites, openSite(t, root.dir, root.world))
	}
	var admitted, held int
	for range 300 {
		root.plant(t, leaseOf(fsm.StateParentOwned, gone), false)
		var all sync.WaitGroup
		removed, handles, errs := make([]int, 4), make([]*lease.Handle, 4), make([]error, 4)
		for i, s := range sites {
			all.Go(func() {
				if i >= 2 {
					handles[i], errs[i] = s.Acquire(context.Background(), identityOf("acme"), "", lease.Exclusive(), lease.RecoverFirst())
					return
				}
				rows, err := s.Repair(context.Background(), lease.RepairOptions{Apply: true})
				errs[i] = err
				for _, r := range rows {
					errs[i] = errors.Join(errs[i], r.Err)
					if r.Removed {
						removed[i]++
					}
				}
			})
		}
		all.Wait()
		require.NoError(t, errors.Join(errs[0], errs[1]))
		require.LessOrEqual(t, removed[0]+removed[1], 1)
		alone := 0
		for i := 2; i < 4; i++ {
			if handles[i] == nil {
				require.ErrorIs(t, errs[i], lease.ErrBlocked)
				held++
				continue
			}
			alone++
			require.Equal(t, fsm.StateParentOwned, root.disk(t, handles[i]), "a live lease stays")
		}
		require.LessOrEqual(t, alone, 1)
		admitted += alone
		for _, h := range handles {
			if h != nil {
				require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
				require.NoError(t, h.Release(t.Context()))
			}
		}
		_, err := root.Repair(t.Context(), lease.RepairOptions{Apply: true})
		require.NoError(t, err)
		root.nothingLeft(t)
	}
	t.Logf("admitted %d, held off %d", admitted, held)
	require.NotZero(t, admitted)
}

// TestRemovalThatFails: the row says why, and the record stays or is known to be in doubt.
func TestRemovalThatFails(t *testing.T) {
	for f, want := range map[fault]error{notDone: errDisk, notDurable: persist.ErrNotDurable, lostForever: persist.ErrUnsettled} {
		s := newSite(t)
		s.plant(t, leaseOf(fsm.StateCleanupComplete, gone), false)
		s.store.next(f)
		rows, err := s.Repair(t.Context(), lease.RepairOptions{Apply: true})
		require.NoError(t, err)
		require.False(t, rows[0].Removed)
		require.ErrorIs(t, rows[0].Err, want)
		_, err = s.Repair(t.Context(), lease.RepairOptions{Apply: true})
		require.NoError(t, err)
		h := s.acquire(t)
		require.NoError(t, fire(t.Context(), h, fsm.CleanupComplete))
		require.NoError(t, h.Release(t.Context()))
		s.nothingLeft(t)
	}
}
