package lease_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
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

// helperVar names the part that a re-executed test binary plays; its arguments follow in the command line.
const helperVar = "CONTAINLEASE_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVar) {
	case "":
		os.Exit(m.Run())
	case "cycles":
		os.Exit(cycles(os.Args[1], os.Args[2]))
	}
	os.Exit(2)
}

var sha = strings.Repeat("ab", 32)

// identityOf is a valid identity of a plugin.
func identityOf(plugin string) leasefile.OperationIdentity {
	return leasefile.OperationIdentity{
		AdapterID: "acme", BundleSHA256: sha, ContractVersion: 1, DescriptorSHA256: sha, ManifestSHA256: sha,
		Operation: "posts.list", PluginID: plugin, PluginVersion: "1.0.0", SurfaceID: "acme-web",
		Transport: leasefile.TransportProviderAPI,
	}
}

// world is an inspector that knows what the test tells it. The processes it does not know are dead.
type world struct {
	self   process.Process
	live   map[process.Identity]bool
	places process.Namespaces
	nobody error  // what Self fails with
	asked  func() // called by Boot, Status and Namespaces; may be nil
}

func digest(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// identity is a process of the present boot in every world.
func identity(pid int64) process.Identity {
	return process.Identity{PID: pid, BootID: digest("boot"), StartID: digest(fmt.Sprint("start", pid))}
}

// newWorld has one live process, the caller.
func newWorld() *world {
	self := identity(100)
	return &world{self: process.Process{Identity: self}, live: map[process.Identity]bool{self: true},
		places: process.Namespaces{PID: 1, Time: 2, Cgroup: 3}}
}

func (w *world) ask() {
	if w.asked != nil {
		w.asked()
	}
}

func (w *world) Self() (process.Process, error) { return w.self, w.nobody }
func (w *world) Lookup(pid int64) (process.Process, error) {
	return process.Process{}, process.ErrNotFound
}
func (w *world) Boot() (string, error)                               { w.ask(); return digest("boot"), nil }
func (w *world) Look(string) process.Census                          { return process.Census{} }
func (*world) Clock() uint64                                         { return 0 }
func (*world) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (*world) NamespaceEnded(uint64, uint64) bool                    { return false }
func (w *world) Namespaces() (n process.Namespaces, err error)       { w.ask(); return w.places, nil }
func (w *world) Status(id process.Identity, _ uint64) (process.Status, string) {
	w.ask()
	if w.live[id] {
		return process.Live, "as the test says"
	}
	return process.Dead, "as the test says"
}

// host is the host of most tests: dead, unless the world says otherwise.
var host = lease.HostOf(identity(200))

// site is a home with its registry, and what the test can do behind their back.
type site struct {
	*lease.Registry
	dir   string
	home  *file.Home
	store *faulty
	world *world
}

// newSite makes a home, with a scripted store before its files.
func newSite(t testing.TB, opts ...lease.Option) *site {
	t.Helper()
	return openSite(t, filepath.Join(fastDir(t), "home"), newWorld(), opts...)
}

// openSite opens a home as another process would: with descriptors of its own.
func openSite(t testing.TB, dir string, w *world, opts ...lease.Option) *site {
	t.Helper()
	home, err := file.Create(dir, file.AllowAnyFilesystem())
	require.NoError(t, err)
	s := &site{dir: dir, home: home, store: &faulty{Store: home.Store(), syncer: home.Store()}, world: w}
	s.Registry, err = lease.New(s.store, home, append([]lease.Option{lease.WithInspector(w)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// fastDir is a temporary directory, in memory where there is one: most tests make many homes.
func fastDir(t testing.TB) string {
	t.Helper()
	if i, err := os.Stat("/dev/shm"); err != nil || !i.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "containlease-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// acquire takes a lease for plugin acme, which has to work.
func (s *site) acquire(t testing.TB, opts ...lease.AcquireOption) *lease.Handle {
	t.Helper()
	h, err := s.Acquire(t.Context(), identityOf("acme"), "", opts...)
	require.NoError(t, err)
	return h
}

// path is the events that lead from parent-owned to a state.
var path = map[fsm.State][]fsm.Event{
	fsm.StateParentOwned:     {},
	fsm.StateHostStarting:    {fsm.HostStarting},
	fsm.StateHostActive:      {fsm.HostStarting, fsm.HostStarted},
	fsm.StateCleanupComplete: {fsm.HostStarting, fsm.HostStarted, fsm.CleanupComplete},
	fsm.StateCleanupUnsafe:   {fsm.HostStarting, fsm.HostStarted, fsm.CleanupUnsafe},
	fsm.StateReleased:        {fsm.HostStarting, fsm.HostStarted, fsm.CleanupComplete, fsm.Release},
}

// bring fires events, which have to work, until the handle is in a state.
func bring(t testing.TB, h *lease.Handle, to fsm.State) *lease.Handle {
	t.Helper()
	for _, ev := range path[to] {
		require.NoError(t, fire(t.Context(), h, ev))
	}
	require.Equal(t, to, h.State())
	return h
}

// fire fires an event with the argument that it wants.
func fire(ctx context.Context, h *lease.Handle, ev fsm.Event) error {
	if ev == fsm.HostStarting || ev == fsm.HostStarted {
		return h.Event(ctx, ev, host)
	}
	return h.Event(ctx, ev)
}

// disk is the state that the lease file says, fsm.StateReleased where there is none.
func (s *site) disk(t testing.TB, h *lease.Handle) fsm.State {
	t.Helper()
	e, err := s.home.Store().Read(context.Background(), h.ID())
	if err != nil {
		require.ErrorIs(t, err, persist.ErrNotExist)
		return fsm.StateReleased
	}
	l, err := leasefile.DecodeFileNamed(h.ID()+".json", e.Content)
	require.NoError(t, err)
	return fsm.State(l.(*leasefile.LeaseV2).Containment.Status)
}

// leaseFile is where a lease's bytes are.
func (s *site) leaseFile(id string) string { return filepath.Join(s.dir, "leases", id+".json") }

// plant writes a lease that nobody in this process drives, with evidence in the present place. held is its owner's
// liveness lock, by a descriptor of another home; nil where the owner is dead.
func (s *site) plant(t testing.TB, l leasefile.Lease, held bool) {
	t.Helper()
	other, err := file.Open(s.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })
	lock, err := other.Claim(l.ID())
	require.NoError(t, err)
	if held {
		t.Cleanup(func() { require.NoError(t, lock.Close()) })
	} else {
		require.NoError(t, lock.Close())
	}
	one, two, three := int64(1), int64(2), int64(3)
	ev := leasefile.EvidenceV2{LeaseID: l.ID(), Token: l.OwnedBy().Token, Tool: "test", Version: "1",
		PIDNamespace: &one, TimeNamespace: &two, CgroupNamespace: &three,
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}}
	require.NoError(t, other.WriteRecord("owners/"+l.ID()+".json", ev.AppendCanonical(nil), file.Volatile))
	s.write(t, l.ID()+".json", l.AppendCanonical(nil))
}

// write puts a file into leases/ as any program could.
func (s *site) write(t testing.TB, name string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "leases", name), content, 0o600))
}

// leaseOf is a v2 lease of plugin acme in a state, with host on record where there can be one.
func leaseOf(state fsm.State, owner process.Identity) *leasefile.LeaseV2 {
	l := &leasefile.LeaseV2{
		AcquiredAt:  time.Unix(0, 0).UTC().Format("2006-01-02T15:04:05.000Z"),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatus(state)},
		Identity:    identityOf("acme"), LeaseID: uuid.NewString(), RunID: uuid.NewString(),
		Owner: leasefile.Owner{PID: owner.PID, BootID: owner.BootID, ProcessStartID: owner.StartID, Token: uuid.NewString()},
	}
	if state != fsm.StateParentOwned {
		l.Containment.Host = &host
	}
	return l
}

// tree is the name, mode and content of everything below dir.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, err := d.Info()
		if err != nil {
			return err
		}
		var b []byte
		if i.Mode().IsRegular() {
			b, err = os.ReadFile(p)
		}
		out[strings.TrimPrefix(p, dir)] = fmt.Sprint(i.Mode(), i.ModTime().UnixNano(), digest(string(b)))
		return err
	}))
	return out
}

// soon fails the test if do has not returned within a time that only a deadlock needs.
func soon(t testing.TB, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		panic("deadlock: the test prints every goroutine")
	}
}
