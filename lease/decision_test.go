//go:build unix

package lease_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

const (
	word      = "I looked"
	nobody    = leasefile.BoundaryKindSubreaper // without its note: nobody can say any more
	unbounded = leasefile.BoundaryKindNone
)

func TestRetire(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	require.Equal(t, "no-proof", i.Verdict.Rule)
	d.write(t, "owners/"+i.ID+".empty", "a note of nobody")
	was, err := d.Retire(t.Context(), i.ID, i.Digest, word)
	require.NoError(t, err)
	require.Equal(t, i.Verdict, was.Verdict)
	require.Empty(t, d.in(t, "leases"))
	require.Empty(t, d.in(t, "owners"))
	lines := d.audit(t)
	require.Len(t, lines, 1)
	require.Equal(t, leasefile.AuditActionRetire, lines[0].Action)
	require.Equal(t, i.ID, *lines[0].LeaseID)
	require.Equal(t, i.Digest.String(), *lines[0].Digest)
	require.Equal(t, "no-proof", lines[0].Rule)
	require.Equal(t, word, lines[0].Reason)
	require.Equal(t, lease.Decided, d.told[len(d.told)-1].Kind)
	h, err := d.Acquire(t.Context(), operation(), "")
	require.NoError(t, err)
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
}

func TestRetireRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		state    fsm.State
		boundary leasefile.BoundaryKind
		alter    func(t *testing.T, d *desk, i *lease.Inspection)
		kind     error
		says     string
	}{
		"other bytes":       {fsm.StateHostActive, nobody, func(_ *testing.T, _ *desk, i *lease.Inspection) { i.Digest[0]++ }, lease.ErrOtherDigest, "decide again"},
		"no digest":         {fsm.StateHostActive, nobody, func(_ *testing.T, _ *desk, i *lease.Inspection) { i.Digest = persist.Digest{} }, lease.ErrOtherDigest, "decide again"},
		"a held lock":       {fsm.StateHostActive, nobody, func(t *testing.T, d *desk, i *lease.Inspection) { t.Cleanup(d.hold(t, i.ID)) }, lease.ErrInUse, "holds its liveness lock"},
		"a live host":       {fsm.StateHostActive, nobody, func(_ *testing.T, d *desk, _ *lease.Inspection) { d.alive[hostPID] = true }, lease.ErrInUse, "its host (pid 400)"},
		"what is gone":      {fsm.StateHostStarting, unbounded, nil, lease.ErrNotForThis, "proved gone"},
		"what is complete":  {fsm.StateCleanupComplete, nobody, nil, lease.ErrNotForThis, "proved gone"},
		"what is no lease":  {fsm.StateHostActive, nobody, corrupt, lease.ErrNotForThis, "no lease"},
		"a live owner":      {fsm.StateHostActive, nobody, func(_ *testing.T, d *desk, _ *lease.Inspection) { d.alive[ownerPID] = true }, lease.ErrInUse, "its owner, pid 300"},
		"a carrier":         {fsm.StateHostActive, nobody, func(_ *testing.T, d *desk, i *lease.Inspection) { d.carry(77, "other:"+i.ID) }, lease.ErrInUse, "pid 77 with the lease"},
		"another carrier":   {fsm.StateHostActive, nobody, func(_ *testing.T, d *desk, i *lease.Inspection) { d.carry(despised, i.ID); d.carry(78, i.ID) }, lease.ErrInUse, "pids 66, 78"},
		"a reason of lines": {fsm.StateHostActive, nobody, nil, lease.ErrInvalid, "reason"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			i := d.leave(t, c.state, c.boundary)
			if c.alter != nil {
				c.alter(t, d, &i)
			}
			reason := word
			if c.kind == lease.ErrInvalid {
				reason = "two\nlines"
			}
			_, err := d.Retire(t.Context(), i.ID, i.Digest, reason, lease.DespitePID(despised))
			require.ErrorIs(t, err, c.kind)
			require.ErrorContains(t, err, c.says)
			require.Len(t, d.in(t, "leases"), 1)
			require.Len(t, d.in(t, "owners"), 2)
			require.Empty(t, d.audit(t), "what is refused is not written down")
		})
	}
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	_, err := d.open(t, lease.ReadOnly()).Retire(t.Context(), i.ID, i.Digest, word)
	require.ErrorIs(t, err, lease.ErrReadOnly)
	_, err = d.Retire(t.Context(), "00000000-0000-4000-8000-000000000000", i.Digest, word)
	require.ErrorIs(t, err, lease.ErrNotExist)
	_, err = d.Retire(t.Context(), "nothing", i.Digest, word)
	require.ErrorIs(t, err, lease.ErrNotExist)
}

// despised is a pid that an operator names, whoever has it.
const despised = 66

// A process that only has a copy of the environment is overridden by naming it, and the audit says so.
func TestRetireDespite(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	d.carry(despised, i.ID)
	i, err := d.Inspect(t.Context(), i.ID)
	require.NoError(t, err)
	require.Equal(t, "mark-seen", i.Verdict.Rule)
	require.Equal(t, []int64{despised}, i.Life.PIDs())
	require.Equal(t, verdict.ActStop, i.Next.Action)
	_, err = d.Retire(t.Context(), i.ID, i.Digest, word, lease.DespitePID(despised))
	require.NoError(t, err)
	require.Equal(t, word+" (despite pid 66)", d.audit(t)[0].Reason)
}

// What a program prints to be filled in is no reason, whatever is named beside it.
func TestAReasonHasAWordInIt(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	for _, reason := range []string{"", "…", "...", "'…'", "--", "?", "  "} {
		_, err := d.Retire(t.Context(), i.ID, i.Digest, reason, lease.DespitePID(despised))
		require.ErrorIs(t, err, lease.ErrNoReason, "%q", reason)
		require.ErrorIs(t, err, lease.ErrInvalid)
	}
	require.Empty(t, d.audit(t))
	require.Len(t, d.in(t, "leases"), 1)
}

func corrupt(t *testing.T, d *desk, i *lease.Inspection) {
	d.write(t, "leases/"+i.ID+".json", "{}\n")
	again, err := d.Inspect(t.Context(), i.ID)
	require.NoError(t, err)
	*i = again
}

// TestDecisionJudgesAgain: what changes before the locks are had is not touched, and nothing is written down.
func TestDecisionJudgesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, d *desk, i lease.Inspection) (after func())
		kind      error
	}{
		"its lock is taken": {func(t *testing.T, d *desk, i lease.Inspection) func() { return d.hold(t, i.ID) }, lease.ErrInUse},
		"other bytes": {func(t *testing.T, d *desk, i lease.Inspection) func() {
			changed := *i.Lease.(*leasefile.LeaseV2)
			changed.RunID = changed.LeaseID
			d.write(t, "leases/"+i.ID+".json", string(changed.AppendCanonical(nil)))
			return func() {}
		}, lease.ErrOtherDigest},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			i := d.leave(t, fsm.StateHostActive, nobody)
			home, err := file.Open(d.dir)
			require.NoError(t, err)
			lock, err := home.Lock(t.Context(), file.Exclusive, nil)
			require.NoError(t, err)
			over, looked := make(chan error, 1), make(chan struct{}, 2)
			d.looked = func() { looked <- struct{}{} }
			go func() { _, err := d.Retire(context.Background(), i.ID, i.Digest, word); over <- err }()
			<-looked
			after := c.meanwhile(t, d, i)
			require.NoError(t, lock.Unlock())
			require.ErrorIs(t, <-over, c.kind)
			after()
			require.NoError(t, home.Close())
			require.Empty(t, d.audit(t))
			require.Len(t, d.in(t, "leases"), 1)
		})
	}
}

func TestQuarantine(t *testing.T) {
	d := newDesk(t)
	bad := d.leave(t, fsm.StateHostActive, nobody)
	corrupt(t, d, &bad)
	d.write(t, "leases/stray name", "what is this?")
	require.NoError(t, syscall.Mkfifo(filepath.Join(d.dir, "leases", "33333333-3333-4333-8333-333333333333.json"), 0o600))
	d.write(t, "leases/22222222-2222-4222-8222-222222222222.json", `{"identity":{"pluginId":"acme"},"leaseId":"22222222-2222-4222-8222-222222222222","schemaVersion":3}`)
	var all []lease.Inspection
	for i, err := range d.List(t.Context()) {
		require.NoError(t, err)
		all = append(all, i)
	}
	require.Len(t, all, 4)
	for _, i := range all {
		path, err := d.Quarantine(t.Context(), i.ID, i.Digest, word)
		require.NoError(t, err, i.ID)
		info, err := os.Lstat(filepath.Join(d.dir, path))
		require.NoError(t, err)
		require.Equal(t, i.Foreign, strings.HasPrefix(path, "quarantine/stray"))
		if info.Mode().IsRegular() && !i.Foreign {
			kept, err := os.ReadFile(filepath.Join(d.dir, path))
			require.NoError(t, err)
			require.Equal(t, i.Digest, persist.DigestOf(kept))
		}
	}
	require.Empty(t, d.in(t, "leases"))
	require.Empty(t, d.in(t, "owners"))
	for n, a := range d.audit(t) {
		require.Equal(t, leasefile.AuditActionQuarantine, a.Action)
		require.Equal(t, all[n].Verdict.Rule, a.Rule)
		require.Equal(t, all[n].Foreign, a.LeaseID == nil)
		require.Equal(t, all[n].Foreign, strings.HasPrefix(a.Reason, all[n].ID+": "))
		require.Equal(t, all[n].Digest == persist.Digest{}, a.Digest == nil)
	}
}

func TestQuarantineRefuses(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	_, err := d.Quarantine(t.Context(), i.ID, i.Digest, word)
	require.ErrorIs(t, err, lease.ErrNotForThis)
	var refused *lease.DecisionError
	require.ErrorAs(t, err, &refused)
	next, ok := refused.Next()
	require.True(t, ok)
	require.Equal(t, lease.Next{Action: verdict.ActRetire, Lease: i.ID, Digest: i.Digest, Reason: verdict.ActRetire.Vouches()}, next)
	corrupt(t, d, &i)
	letGo := d.hold(t, i.ID)
	_, err = d.Quarantine(t.Context(), i.ID, i.Digest, word)
	require.ErrorIs(t, err, lease.ErrInUse, "the owner lives, whatever became of its record")
	letGo()
	require.NoError(t, os.Chmod(filepath.Join(d.dir, "owners", i.ID+".lock"), 0o644))
	_, err = d.Quarantine(t.Context(), i.ID, i.Digest, word)
	require.ErrorIs(t, err, lease.ErrInUse, "a lock that cannot be probed is no free lock")
	_, err = d.Quarantine(t.Context(), i.ID, persist.Digest{}, word)
	require.ErrorIs(t, err, lease.ErrOtherDigest)
	require.Empty(t, d.audit(t))
	require.Equal(t, []string{i.ID + ".json"}, d.in(t, "leases"))
}

func TestDoctorsRemovalsAreWrittenDown(t *testing.T) {
	d := newDesk(t)
	gone, stays := d.leave(t, fsm.StateHostStarting, unbounded), d.leave(t, fsm.StateHostActive, nobody)
	_, err := d.Repair(t.Context(), lease.RepairOptions{})
	require.NoError(t, err)
	require.Empty(t, d.audit(t))
	_, err = d.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Equal(t, []string{stays.ID + ".json"}, d.in(t, "leases"))
	lines := d.audit(t)
	require.Len(t, lines, 1)
	require.Equal(t, leasefile.AuditActionRemove, lines[0].Action)
	require.Equal(t, gone.ID, *lines[0].LeaseID)
	require.Equal(t, "gate-never-opened", lines[0].Rule)
}

// TestProvedRemovalsNeedNoAudit: on a full disk what is proved gone goes all the same, and the missing line is told.
func TestProvedRemovalsNeedNoAudit(t *testing.T) {
	d := newDesk(t)
	d.leave(t, fsm.StateHostStarting, unbounded)
	i := d.leave(t, fsm.StateHostActive, nobody)
	require.NoError(t, os.Mkdir(filepath.Join(d.dir, lease.AuditLog), 0o700))
	rows, err := d.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Len(t, d.in(t, "leases"), 1)
	require.Equal(t, lease.Noted, d.told[len(d.told)-1].Kind)
	_, err = d.Retire(t.Context(), i.ID, i.Digest, word)
	require.Error(t, err, "an operator's word that cannot be written down does nothing")
	require.Len(t, d.in(t, "leases"), 1)
}
