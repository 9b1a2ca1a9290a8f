package vectors_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// event is a row of events.jsonl, of any kind.
type event struct {
	Kind     string
	Variant  string
	State    *fsm.State
	Host     any // kind event: whether one is on record; else its status
	Event    string
	Error    string
	Memory   string
	Disk     string
	Existing string
	Report   report
}

// report is the original's summary of a repair or recovery.
type report struct{ Inspected, Removed, Active, Unknown, Invalid int }

func (e event) String() string {
	state := "v1"
	if e.State != nil {
		state = string(*e.State)
	}
	switch e.Kind {
	case "event":
		return strings.Join([]string{e.Variant, state, fmt.Sprintf("host=%v", e.Host), e.Event}, "/")
	case "acquire":
		return "acquire/" + e.Existing
	}
	return e.Kind + "/" + state
}

// exceptions are the rows to which the answer here is another one, each with its reason. The key is the end of a row's
// name where it stands for several.
var exceptions = map[string]string{
	"disk=memory/cleanup-complete/host=true/release":  "memory here becomes released",
	"disk=memory/cleanup-complete/host=false/release": "memory here becomes released",

	"disk=memory/v1/host=<nil>/hostStarted(same host)":                 "a v1 lease has no controller, whatever is asked of it",
	"disk=memory/v1/host=<nil>/hostStarted(other host)":                "a v1 lease has no controller, whatever is asked of it",
	"disk=memory/v1/host=<nil>/release":                                "a v1 lease has no controller, whatever is asked of it",
	"file removed behind memory/v1/host=<nil>/hostStarted(same host)":  "a v1 lease has no controller, whatever is asked of it",
	"file removed behind memory/v1/host=<nil>/hostStarted(other host)": "a v1 lease has no controller, whatever is asked of it",
	"file removed behind memory/v1/host=<nil>/release":                 "a v1 lease has no controller, whatever is asked of it",

	"acquire/v2 host-starting owner=dead host=live":    "orphan",
	"acquire/v2 host-active owner=dead host=live":      "orphan",
	"acquire/v2 cleanup-complete owner=dead host=live": "orphan",
	"recover/host-active":                              "live-in-recovery",
	"recover/cleanup-unsafe":                           "live-in-recovery",
}

// TestEvents walks every row through the library itself: real handles, real files, real locks.
func TestEvents(t *testing.T) {
	rows := read[event](t, "events.jsonl")
	require.Len(t, rows, 149)
	walked := map[string]bool{}
	for _, row := range rows {
		name := row.String()
		require.False(t, walked[name], "two rows are called %s", name)
		walked[name] = true
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			var differs bool
			switch row.Kind {
			case "event":
				differs = b.event(t, row)
			case "acquire":
				differs = b.acquire(t, row)
			case "repair", "recover":
				differs = b.repair(t, row)
			default:
				t.Fatalf("no such kind: %s", row.Kind)
			}
			_, listed := exceptions[name]
			require.Equal(t, listed, differs, "listed as an exception, and differing")
		})
	}
	deviations := map[string]bool{}
	for _, d := range verdict.Deviations {
		deviations[d.Name] = true
	}
	for name, why := range exceptions {
		require.True(t, walked[name], "%s is no row", name)
		if !strings.Contains(why, " ") {
			require.True(t, deviations[why], "%s is no deviation of the policy", why)
		}
	}
}

// bench is a home with a world in which processes 1 to 9 live.
type bench struct {
	dir  string
	reg  *lease.Registry
	home *file.Home // descriptors of its own: another process, as far as locks go
}

type world struct{}

func identity(boot string, pid int64) process.Identity {
	return process.Identity{PID: pid, BootID: process.Digest("boot", boot), StartID: process.Digest("start", fmt.Sprint(pid))}
}

func (world) Self() (process.Process, error) {
	return process.Process{Identity: identity("now", 1)}, nil
}
func (world) Lookup(int64) (process.Process, error)                 { return process.Process{}, process.ErrNotFound }
func (world) Boot() (string, error)                                 { return identity("now", 1).BootID, nil }
func (world) Look(string) process.Census                            { return process.Census{} }
func (world) Clock() uint64                                         { return 0 }
func (world) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (world) NamespaceEnded(uint64, uint64) bool                    { return false }
func (world) Namespaces() (process.Namespaces, error) {
	return process.Namespaces{PID: 1, Time: 1}, nil
}
func (world) Status(id process.Identity, _ uint64) (process.Status, string) {
	if id == identity("now", id.PID) && id.PID < 10 {
		return process.Live, "by decree"
	}
	return process.Dead, "by decree"
}

// Processes of the rows.
var (
	ownerOf   = map[string]process.Identity{"live": identity("now", 2), "dead": identity("now", 12)}
	hostOf    = map[string]process.Identity{"live": identity("now", 3), "dead": identity("now", 13)}
	otherHost = lease.HostOf(identity("now", 4))
)

func newBench(t *testing.T) *bench {
	b := &bench{dir: filepath.Join(t.TempDir(), "home")}
	var err error
	b.reg, err = lease.Open(t.Context(), b.dir, lease.WithInspector(world{}), lease.WithHome(file.AllowAnyFilesystem()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.reg.Close()) })
	b.home, err = file.Open(b.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.home.Close()) })
	return b
}

func operation(plugin string) leasefile.OperationIdentity {
	sha := process.Digest("any", "thing")
	return leasefile.OperationIdentity{AdapterID: "a", BundleSHA256: sha, ContractVersion: 1, DescriptorSHA256: sha,
		ManifestSHA256: sha, Operation: "a.b", PluginID: plugin, PluginVersion: "1.0.0", SurfaceID: "s",
		Transport: leasefile.TransportProviderAPI}
}

// drive returns a handle in the row's state.
func (b *bench) drive(t *testing.T, state fsm.State, recorded bool) *lease.Handle {
	t.Helper()
	h, err := b.reg.Acquire(t.Context(), operation("acme"), "")
	require.NoError(t, err)
	host := lease.HostOf(hostOf["live"])
	for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
		if recorded && h.State() != state {
			require.NoError(t, h.Event(t.Context(), ev, host))
		}
	}
	for ev, to := range map[fsm.Event]fsm.State{fsm.CleanupComplete: fsm.StateCleanupComplete, fsm.CleanupUnsafe: fsm.StateCleanupUnsafe} {
		if to == state {
			require.NoError(t, h.Event(t.Context(), ev))
		}
	}
	require.Equal(t, state, h.State())
	return h
}

// event makes memory, lets the variant happen to the disk, and fires.
func (b *bench) event(t *testing.T, row event) (differs bool) {
	if row.State == nil {
		return b.legacy(t, row)
	}
	recorded, _ := row.Host.(bool)
	h := b.drive(t, *row.State, recorded)
	path := filepath.Join(b.dir, "leases", h.ID()+".json")
	name, args := arguments(row.Event)
	switch row.Variant {
	case "file removed behind memory":
		require.NoError(t, os.Remove(path))
	case "disk already holds the intended next bytes":
		if r, arrow := fsm.Find(*row.State, name); arrow {
			l := h.Snapshot().Lease
			l.Containment.Status = leasefile.ContainmentStatus(r.To)
			if len(args) > 0 {
				host := args[0].(leasefile.Host)
				l.Containment.Host = &host
			}
			require.NoError(t, os.WriteFile(path, l.AppendCanonical(nil), 0o600))
		}
	default:
		require.Equal(t, "disk=memory", row.Variant)
	}
	err := h.Event(t.Context(), name, args...)
	require.Equal(t, row.Error, class(t, err), "%v", err)
	require.Equal(t, row.Disk, b.disk(t, h.ID(), row.Disk))
	return string(h.State()) != row.Memory
}

// arguments splits the row's event into what Event takes.
func arguments(s string) (fsm.Event, []any) {
	name, which, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	switch {
	case which == "other host":
		return fsm.Event(name), []any{otherHost}
	case which == "same host", name == string(fsm.HostStarting):
		return fsm.Event(name), []any{lease.HostOf(hostOf["live"])}
	}
	return fsm.Event(name), nil
}

// legacy: a handle is asked for while the v1 lease is there; that is as far as anybody gets.
func (b *bench) legacy(t *testing.T, row event) (differs bool) {
	l := &leasefile.LeaseV1{AcquiredAt: "2026-01-01T00:00:00.000Z", Identity: operation("acme"), LeaseID: uuid.NewString(),
		Owner: owner(ownerOf["live"]), RunID: uuid.NewString()}
	b.plant(t, l, true)
	h, err := b.reg.Handle(t.Context(), l.LeaseID)
	require.Nil(t, h)
	if row.Variant == "file removed behind memory" {
		require.NoError(t, os.Remove(filepath.Join(b.dir, "leases", l.LeaseID+".json")))
	}
	require.Equal(t, "legacy", class(t, err))
	require.Equal(t, row.Disk, b.disk(t, l.LeaseID, row.Disk))
	require.Equal(t, "v1", row.Memory)
	return row.Error != "legacy"
}

// class is the vectors' word for an error.
func class(t *testing.T, err error) string {
	t.Helper()
	var refused *fsm.TransitionError
	var blocked *lease.BlockedError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refused):
		return string(refused.Class)
	case errors.As(err, &blocked):
		return string(blocked.Block)
	case errors.Is(err, lease.ErrLegacy):
		return "legacy"
	}
	require.ErrorIs(t, err, lease.ErrChanged)
	return "conflict"
}

// disk spells what is stored as like does: with a word on the host in the states that tell.
func (b *bench) disk(t *testing.T, id, like string) string {
	t.Helper()
	e, err := b.home.Store().Read(context.Background(), id)
	if err != nil {
		require.ErrorIs(t, err, persist.ErrNotExist)
		return "absent"
	}
	l, err := leasefile.DecodeFileNamed(id+".json", e.Content)
	require.NoError(t, err)
	if l.Version() == 1 {
		return "v1"
	}
	c := l.(*leasefile.LeaseV2).Containment
	switch {
	case c.Status == leasefile.ContainmentStatusParentOwned:
		return string(c.Status)
	case c.Host == nil:
		return string(c.Status) + "(host=null)"
	}
	require.Equal(t, lease.HostOf(hostOf["live"]), *c.Host)
	return string(c.Status) + "(host)"
}
