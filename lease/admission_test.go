package lease_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/gen/wire"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// blocked asks for a plugin and returns what stands in its way.
func (s *site) blocked(t testing.TB, plugin string, opts ...lease.AcquireOption) *lease.BlockedError {
	t.Helper()
	h, err := s.Acquire(t.Context(), identityOf(plugin), "", opts...)
	require.Nil(t, h)
	require.ErrorIs(t, err, lease.ErrBlocked)
	var b *lease.BlockedError
	require.ErrorAs(t, err, &b)
	return b
}

func TestAdmissionBesideAnActiveLease(t *testing.T) {
	s := newSite(t)
	other := openSite(t, s.dir, s.world)
	for _, h := range []*lease.Handle{s.acquire(t), other.acquire(t), s.acquire(t)} {
		require.Equal(t, fsm.StateParentOwned, h.State())
	}
}

func TestMalformedFileBlocksEveryPlugin(t *testing.T) {
	s := newSite(t)
	id := leaseOf(fsm.StateParentOwned, identity(300)).LeaseID
	s.write(t, id+".json", []byte("{}\n"))
	for _, plugin := range []string{"acme", "other"} {
		b := s.blocked(t, plugin)
		require.Equal(t, verdict.BlockedMalformed, b.Block)
		require.Equal(t, verdict.ActQuarantine, b.Lease.Next.Action)
		require.Equal(t, b.Lease.Digest, b.Lease.Next.Digest)
		require.Equal(t, id, b.Lease.Next.Lease)
		require.NotContains(t, b.Error(), "containlease", "the user of a library may not have the program")
		require.NotErrorIs(t, b, lease.ErrHeld)
	}
	require.Equal(t, []string{id + ".json"}, names(t, s.dir+"/leases"))
	require.Empty(t, names(t, s.dir+"/owners"))
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestNewerVersionBlocksItsOwnPlugin(t *testing.T) {
	s := newSite(t)
	l := leaseOf(fsm.StateParentOwned, identity(300))
	s.write(t, l.LeaseID+".json", []byte(strings.Replace(string(l.AppendCanonical(nil)), `"schemaVersion":2`, `"schemaVersion":3`, 1)))
	b := s.blocked(t, "acme")
	require.Equal(t, verdict.BlockedNewer, b.Block)
	require.Contains(t, b.Error(), "newer than this program knows")
	_, err := s.Acquire(t.Context(), identityOf("other"), "")
	require.NoError(t, err)
}

func TestForeignNamesBlockNothing(t *testing.T) {
	s := newSite(t)
	s.write(t, "notes.txt", []byte("mine"))
	s.acquire(t)
	var foreign []string
	for i, err := range s.List(t.Context()) {
		require.NoError(t, err)
		if i.Foreign {
			foreign = append(foreign, i.ID)
			require.Error(t, i.Problem)
		}
	}
	require.Equal(t, []string{"notes.txt"}, foreign)
	require.Contains(t, names(t, s.dir+"/leases"), "notes.txt")
}

func TestExclusive(t *testing.T) {
	for _, pair := range [][2][]lease.AcquireOption{{{lease.Exclusive()}, nil}, {nil, {lease.Exclusive()}}} {
		s := newSite(t)
		first := s.acquire(t, pair[0]...)
		b := openSite(t, s.dir, s.world).blocked(t, "acme", pair[1]...)
		require.Equal(t, verdict.BlockedExclusive, b.Block)
		require.ErrorIs(t, b, lease.ErrHeld)
		_, err := s.Acquire(t.Context(), identityOf("other"), "", lease.Exclusive())
		require.NoError(t, err, "another plugin is no company")
		require.NoError(t, fire(t.Context(), first, fsm.CleanupComplete))
		require.NoError(t, first.Release(t.Context()))
		s.acquire(t, pair[1]...)
	}
}

func TestNotActive(t *testing.T) {
	s := newSite(t)
	_, err := s.Acquire(t.Context(), identityOf("acme"), "", lease.RequireEnabled())
	require.ErrorIs(t, err, lease.ErrNotActive)
	p := leasefile.PluginV1{Executable: "/bin/true", Identity: identityOf("acme")}
	require.NoError(t, s.home.WriteRecord("plugins/acme.json", p.AppendCanonical(nil), file.Volatile))
	s.acquire(t, lease.RequireEnabled())
	left := tree(t, s.dir)
	for _, change := range []func(*leasefile.OperationIdentity){
		func(o *leasefile.OperationIdentity) { o.PluginVersion = "1.0.1" },
		func(o *leasefile.OperationIdentity) { o.BundleSHA256 = digest("other") },
		func(o *leasefile.OperationIdentity) { o.ManifestSHA256 = digest("other") },
	} {
		op := identityOf("acme")
		change(&op)
		_, err := s.Acquire(t.Context(), op, "")
		require.ErrorIs(t, err, lease.ErrNotActive)
	}
	sameFiles(t, left, tree(t, s.dir))
	op := identityOf("acme")
	op.Operation = "posts.read" // varies from one operation to the next
	_, err = s.Acquire(t.Context(), op, "")
	require.NoError(t, err)
}

// sameFiles compares trees without the times of directories, which a nameless file changes on some systems.
func sameFiles(t testing.TB, want, got map[string]string) {
	t.Helper()
	for _, m := range []map[string]string{want, got} {
		for name, is := range m {
			if strings.HasPrefix(is, "d") {
				m[name] = "directory"
			}
		}
	}
	require.Equal(t, want, got)
}

func TestInvalidIdentity(t *testing.T) {
	s := newSite(t)
	op := identityOf("acme")
	op.BundleSHA256 = "short"
	_, err := s.Acquire(t.Context(), op, "")
	require.ErrorIs(t, err, lease.ErrInvalid)
	var d *wire.DecodeError
	require.ErrorAs(t, err, &d)
	require.Equal(t, "/identity/bundleSha256", d.Pointer)
	_, err = s.Acquire(t.Context(), identityOf("acme"), "no uuid")
	require.ErrorIs(t, err, lease.ErrInvalid)
	_, err = s.Acquire(t.Context(), identityOf("acme"), "", lease.Tool("a b", "1"))
	require.ErrorIs(t, err, lease.ErrInvalid)
	require.Empty(t, s.store.steps())
}

func TestNoIdentity(t *testing.T) {
	s := newSite(t)
	s.world.nobody = process.ErrNoIdentity
	_, err := s.Acquire(t.Context(), identityOf("acme"), "")
	require.ErrorIs(t, err, lease.ErrNoIdentity)
	require.Empty(t, s.store.steps(), "refused before anything is written")
}

func TestHomeOfAnotherMachine(t *testing.T) {
	s := newSite(t)
	dead := leaseOf(fsm.StateCleanupComplete, identity(300))
	s.plant(t, dead, false)
	copied := filepath.Join(filepath.Dir(s.dir), "copy")
	require.NoError(t, exec.Command("cp", "-a", s.dir, copied).Run())
	_, err := lease.Open(t.Context(), copied, lease.WithHome(file.AllowAnyFilesystem()))
	require.ErrorIs(t, err, lease.ErrOtherHome)
	r, err := lease.Open(t.Context(), copied, lease.ReadOnly(), lease.WithInspector(s.world))
	require.NoError(t, err, "reading is allowed")
	defer r.Close()
	i, err := r.Inspect(t.Context(), dead.LeaseID)
	require.NoError(t, err)
	require.Equal(t, "other-machine", i.Verdict.Rule)
	require.False(t, i.Verdict.Removable)
}
