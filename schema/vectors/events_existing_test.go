package vectors_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func owner(id process.Identity) leasefile.Owner {
	return leasefile.Owner{PID: id.PID, BootID: id.BootID, ProcessStartID: id.StartID, Token: uuid.NewString()}
}

// existing is a lease that somebody else wrote.
func existing(plugin string, state fsm.State, parent process.Identity, host *process.Identity) *leasefile.LeaseV2 {
	l := &leasefile.LeaseV2{AcquiredAt: "2026-01-01T00:00:00.000Z", Identity: operation(plugin), LeaseID: uuid.NewString(),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatus(state)}, Owner: owner(parent), RunID: uuid.NewString()}
	if host != nil {
		h := lease.HostOf(*host)
		l.Containment.Host = &h
	}
	return l
}

// plant puts a lease into the home, with evidence; its liveness lock is held where its owner lives.
func (b *bench) plant(t *testing.T, l leasefile.Lease, held bool) {
	t.Helper()
	lock, err := b.home.Claim(l.ID())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lock.Close()) })
	if !held {
		require.NoError(t, lock.Close())
	}
	one := int64(1)
	e := leasefile.EvidenceV2{LeaseID: l.ID(), Token: l.OwnedBy().Token, Tool: "test", Version: "1", PIDNamespace: &one,
		TimeNamespace: &one, Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}}
	require.NoError(t, b.home.WriteRecord("owners/"+l.ID()+".json", e.AppendCanonical(nil), file.Volatile))
	b.write(t, l.ID(), l.AppendCanonical(nil))
}

func (b *bench) write(t *testing.T, id string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(b.dir, "leases", id+".json"), content, 0o600))
}

// acquire plants what the row says exists, and compares policy Original on its facts and the library's own Acquire with
// what was measured.
func (b *bench) acquire(t *testing.T, row event) (differs bool) {
	id := b.arrange(t, row.Existing)
	if id != "" {
		i, err := b.reg.Inspect(t.Context(), id)
		require.NoError(t, err)
		if i.Lease != nil && i.Plugin == "acme" {
			require.Equal(t, row.Error, string(verdict.Original.Admit(i.Facts)), "%+v", i.Facts)
		}
	}
	h, err := b.reg.Acquire(t.Context(), operation("acme"), "")
	if err == nil {
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
		require.NoError(t, h.Release(t.Context()))
	}
	return class(t, err) != row.Error
}

// arrange returns the id of what it planted, "" for nothing.
func (b *bench) arrange(t *testing.T, what string) string {
	t.Helper()
	dead, host := ownerOf["dead"], hostOf["dead"]
	old, oldHost := identity("before", 2), identity("before", 3)
	l := existing("acme", fsm.StateHostActive, dead, &host)
	switch what {
	case "none":
		return ""
	case "malformed file of any plugin":
		b.write(t, l.LeaseID, []byte("{}\n"))
		return l.LeaseID
	case "non-canonical JSON (extra space)":
		b.write(t, l.LeaseID, []byte(strings.Replace(string(l.AppendCanonical(nil)), ":", ": ", 1)))
		return l.LeaseID
	case "v2 host-active other plugin, all dead":
		l = existing("other", fsm.StateHostActive, dead, &host)
	case "v2 host-active owner and host from old boot":
		l = existing("acme", fsm.StateHostActive, old, &oldHost)
	default:
		return b.spelled(t, what)
	}
	b.plant(t, l, false)
	return l.LeaseID
}

// spelled plants "v2 <state> owner=<status> host=<status or null>".
func (b *bench) spelled(t *testing.T, what string) string {
	t.Helper()
	words := strings.Fields(what)
	require.GreaterOrEqual(t, len(words), 3, what)
	status := map[string]string{}
	for _, w := range words[2:] {
		who, s, found := strings.Cut(w, "=")
		require.True(t, found, what)
		status[who] = s
	}
	parent, known := ownerOf[status["owner"]]
	require.True(t, known, what)
	if words[0] == "v1" {
		l := &leasefile.LeaseV1{AcquiredAt: "2026-01-01T00:00:00.000Z", Identity: operation("acme"), LeaseID: uuid.NewString(),
			Owner: owner(parent), RunID: uuid.NewString()}
		b.plant(t, l, status["owner"] == "live")
		return l.LeaseID
	}
	var host *process.Identity
	if h, recorded := hostOf[status["host"]]; recorded {
		host = &h
	}
	l := existing("acme", fsm.State(words[1]), parent, host)
	require.NoError(t, l.Validate(), what)
	b.plant(t, l, status["owner"] == "live")
	return l.LeaseID
}

// repair plans and applies in the row's mode and compares the summary.
func (b *bench) repair(t *testing.T, row event) (differs bool) {
	if *row.State != fsm.StateAbsent {
		var host *process.Identity
		if h := hostOf["live"]; *row.State != fsm.StateParentOwned {
			host = &h
		}
		b.plant(t, existing("acme", *row.State, ownerOf["live"], host), true)
	}
	rows, err := b.reg.Repair(t.Context(), lease.RepairOptions{Mode: verdict.Mode(row.Kind), Apply: true})
	require.NoError(t, err)
	var got report
	for _, r := range rows {
		require.NoError(t, r.Err)
		got.Inspected++
		switch {
		case r.Removed:
			got.Removed++
		case r.Verdict.Outcome == verdict.Active:
			got.Active++
		case r.Verdict.Outcome == verdict.Malformed:
			got.Invalid++
		default:
			got.Unknown++
		}
	}
	require.Equal(t, row.Report.Inspected, got.Inspected)
	require.Equal(t, row.Report.Removed, got.Removed)
	return got != row.Report
}
