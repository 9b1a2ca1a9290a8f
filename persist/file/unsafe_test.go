//go:build linux || darwin || freebsd

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// moveAndLink puts a link in the place of a directory, and returns where the directory is now.
func moveAndLink(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.Rename(path, path+".moved"))
	require.NoError(t, os.Symlink(filepath.Base(path)+".moved", path))
	return path + ".moved"
}

func TestUnsafeHomes(t *testing.T) {
	tests := []struct {
		name, part string // which part of the home is spoiled
		flaw       Flaw
		spoil      func(t *testing.T, path string)
	}{
		{"0755", "", WrongMode, func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o755)) }},
		{"0500", "", WrongMode, func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o500)) }},
		{"set-gid", "", WrongMode, func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o700|fs.ModeSetgid)) }},
		{"leases 0770", "leases", WrongMode, func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o770)) }},
		{"home a link", "", Linked, func(t *testing.T, path string) { moveAndLink(t, path) }},
		{"leases a link", "leases", Linked, func(t *testing.T, path string) { moveAndLink(t, path) }},
		{"owners a link", "owners", Linked, func(t *testing.T, path string) { moveAndLink(t, path) }},
		{"leases a file", "leases", NotADirectory, func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			scribble(t, path, 0o600)
		}},
		{"plugins missing", "plugins", PartMissing, func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }},
		{"leases missing", "leases", PartMissing, func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".aside")) }},
		{"another's", "", WrongOwner, func(t *testing.T, path string) {
			if os.Geteuid() != 0 {
				t.Skip("SKIPPED: only root can give a directory away")
			}
			require.NoError(t, os.Chown(path, 12345, -1))
		}},
	}
	for _, tt := range tests {
		for _, open := range []func(string, ...Option) (*Home, error){Open, Create} {
			t.Run(tt.name, func(t *testing.T) {
				home := filepath.Join(fastDir(t), "it's a home")
				require.NoError(t, create(t, home).Close())
				path := filepath.Join(home, tt.part)
				tt.spoil(t, path)
				before := treeHash(t, home)
				_, err := open(home, AllowAnyFilesystem())
				require.ErrorIs(t, err, ErrUnsafe)
				var bad *UnsafeError
				require.ErrorAs(t, err, &bad)
				require.Equal(t, [2]string{path, string(tt.flaw)}, [2]string{bad.Path, string(bad.Flaw)})
				require.Contains(t, err.Error(), path)
				require.Equal(t, tt.flaw == WrongMode || tt.flaw == WrongOwner, bad.Found.Inode != 0, "the only ones surely of a home")
				if tt.flaw == Linked {
					require.Equal(t, path+".moved", bad.Found.Target)
					require.Contains(t, err.Error(), bad.Found.Target)
				}
				require.Equal(t, before, treeHash(t, home))
			})
		}
	}
}

func TestUnsafeLockFile(t *testing.T) {
	h, _ := newHome(t)
	path := h.root.join(lockName)
	for _, tt := range []struct {
		flaw  Flaw
		spoil func() error
	}{
		{WrongMode, func() error { return os.Chmod(path, 0o666) }},
		{NotALockFile, func() error { _ = os.Remove(path); return os.Mkdir(path, 0o700) }},
	} {
		require.NoError(t, tt.spoil())
		_, err := h.Lock(ctx, Shared, nil)
		var bad *UnsafeError
		require.ErrorAs(t, err, &bad)
		require.Equal(t, tt.flaw, bad.Flaw)
		require.Zero(t, h.turns.inside, "a refused lock keeps nobody out")
	}
}

// What is no home is none, whatever its mode and whosever it is: nobody is told to change it, and nothing is made in it.
func TestWhatIsNoHome(t *testing.T) {
	dir := fastDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Mkdir(at("public"), 0o755))
	scribble(t, at("public/lock"), 0o600)
	require.NoError(t, os.Mkdir(at("public/plugins"), 0o700))
	scribble(t, at("file"), 0o600)
	require.NoError(t, os.Symlink("public", at("link")))
	require.NoError(t, os.Symlink("nothing", at("dangling")))
	require.NoError(t, os.Mkdir(at("private"), 0o700))
	before := treeHash(t, dir)
	for _, name := range []string{"public", "file", "link", "dangling", "private", "file/below", "missing"} {
		_, err := Open(at(name))
		require.ErrorIs(t, err, ErrNoHome, name)
		require.NotErrorIs(t, err, ErrUnsafe, name)
	}
	_, err := Create(at("public"), AllowAnyFilesystem())
	require.ErrorIs(t, err, ErrNoHome)
	for name, flaw := range map[string]Flaw{"file": NotADirectory, "link": Linked, "dangling": Linked} {
		_, err := Create(at(name), AllowAnyFilesystem())
		var bad *UnsafeError
		require.ErrorAs(t, err, &bad, name)
		require.Equal(t, flaw, bad.Flaw, name)
	}
	require.Equal(t, before, treeHash(t, dir))
	create(t, at("private"))
}

// A lease with a second name for a moment is one that is on its way: another program's creation makes one.
func TestASecondNameForAMoment(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	twin := h.root.join("twin")
	require.NoError(t, os.Link(h.leases.join(recordFile(keyA)), twin))
	looks := 0
	tr.watch(func(call string) (error, bool) {
		if call == "open" {
			if looks++; looks == readAtOnce {
				require.NoError(t, os.Remove(twin))
			}
		}
		return nil, false
	})
	require.Equal(t, body(1, 900), content(t, h, keyA))
	tr.watch(nil)
	require.Equal(t, readAtOnce, looks)

	require.NoError(t, os.Link(h.leases.join(recordFile(keyA)), twin))
	_, err := h.Store().Read(ctx, keyA)
	var bad *persist.RecordError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, persist.NotPrivate, bad.Kind)
}
