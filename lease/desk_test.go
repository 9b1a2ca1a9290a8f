//go:build unix

package lease_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// desk is where an operator decides: a home, and the processes that its registry sees.
type desk struct {
	*lease.Registry
	dir    string
	alive  map[int64]bool // the processes of this boot that live; all others are dead
	told   []lease.Observation
	census process.Census // who carries the mark
	looked func()         // told of every look for it; nil: nobody wants to know
	here   *process.Namespaces
	ended  bool // every other PID namespace has
}

// newDesk makes a home whose registry believes the desk about processes.
func newDesk(t *testing.T, opts ...lease.Option) *desk {
	t.Helper()
	d := &desk{dir: filepath.Join(t.TempDir(), "home"), alive: map[int64]bool{1: true}}
	d.Registry = d.open(t, append(opts, lease.WithObserver(func(o lease.Observation) { d.told = append(d.told, o) }))...)
	return d
}

func (d *desk) open(t *testing.T, opts ...lease.Option) *lease.Registry {
	t.Helper()
	opts = append([]lease.Option{lease.WithInspector(d), lease.WithHome(file.AllowAnyFilesystem())}, opts...)
	r, err := lease.Open(t.Context(), d.dir, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// hex is a digest that stands for anything.
func hex(s string) string { return persist.DigestOf([]byte(s)).String() }

func seen(pid int64) process.Identity {
	return process.Identity{PID: pid, BootID: hex("boot"), StartID: hex("start")}
}

func (d *desk) Self() (process.Process, error)        { return process.Process{Identity: seen(1)}, nil }
func (d *desk) Lookup(int64) (process.Process, error) { return process.Process{}, process.ErrNotFound }
func (d *desk) Boot() (string, error)                 { return hex("boot"), nil }

// carry has a process carry the mark.
func (d *desk) carry(pid int64, mark string) {
	d.census.Carriers = append(d.census.Carriers, process.Carrier{Process: process.Process{Identity: seen(pid)}, Value: mark})
}

func (d *desk) Look(string) process.Census {
	if d.looked != nil {
		d.looked()
	}
	return d.census
}

func (*desk) Clock() uint64                                         { return 0 }
func (*desk) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (d *desk) NamespaceEnded(uint64, uint64) bool                  { return d.ended }
func (d *desk) Namespaces() (process.Namespaces, error) {
	if d.here != nil {
		return *d.here, nil
	}
	return process.Namespaces{PID: 1, Time: 2}, nil
}
func (d *desk) Status(id process.Identity, _ uint64) (process.Status, string) {
	if d.alive[id.PID] {
		return process.Live, "as the test says"
	}
	return process.Dead, "as the test says"
}

// operation is a valid identity of plugin acme.
func operation() leasefile.OperationIdentity {
	return leasefile.OperationIdentity{
		AdapterID: "acme", BundleSHA256: hex("b"), ContractVersion: 1, DescriptorSHA256: hex("d"), ManifestSHA256: hex("m"),
		Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme-web",
		Transport: leasefile.TransportProviderAPI,
	}
}

// The processes on record in what leave makes.
const (
	ownerPID = 300
	hostPID  = 400
)

// leave leaves a lease behind, in a state, with evidence of a boundary and with a liveness lock that nobody holds.
func (d *desk) leave(t *testing.T, state fsm.State, boundary leasefile.BoundaryKind) lease.Inspection {
	t.Helper()
	owner := seen(ownerPID)
	l := leasefile.LeaseV2{
		AcquiredAt:  time.Unix(0, 0).UTC().Format("2006-01-02T15:04:05.000Z"),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatus(state)},
		Identity:    operation(), LeaseID: uuid.NewString(), RunID: uuid.NewString(),
		Owner: leasefile.Owner{PID: owner.PID, BootID: owner.BootID, ProcessStartID: owner.StartID, Token: uuid.NewString()},
	}
	if state != fsm.StateParentOwned {
		host := lease.HostOf(seen(hostPID))
		l.Containment.Host = &host
	}
	one, two := int64(1), int64(2)
	ev := leasefile.EvidenceV2{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "test", Version: "1", PIDNamespace: &one, TimeNamespace: &two,
		Boundary: leasefile.Boundary{Kind: boundary}}
	d.write(t, "owners/"+l.LeaseID+".lock", "")
	d.write(t, "owners/"+l.LeaseID+".json", string(ev.AppendCanonical(nil)))
	d.write(t, "leases/"+l.LeaseID+".json", string(l.AppendCanonical(nil)))
	i, err := d.Inspect(t.Context(), l.LeaseID)
	require.NoError(t, err)
	require.NotNil(t, i.Lease, "%v", i.Problem)
	return i
}

func (d *desk) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(d.dir, name), []byte(content), 0o600))
}

// hold takes the liveness lock of a lease as its owner would, from another process's descriptors.
func (d *desk) hold(t *testing.T, id string) (letGo func()) {
	t.Helper()
	home, err := file.Open(d.dir)
	require.NoError(t, err)
	lock, err := home.Seize(id)
	require.NoError(t, err)
	return func() {
		require.NoError(t, lock.Close())
		require.NoError(t, home.Close())
	}
}

// audit is the lines of the audit so far.
func (d *desk) audit(t *testing.T) (lines []*leasefile.AuditV1) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, lease.AuditLog))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(b)) {
		a, err := leasefile.DecodeAuditV1File([]byte(line))
		require.NoError(t, err)
		lines = append(lines, a)
	}
	return lines
}

func (d *desk) in(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(d.dir, folder))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
