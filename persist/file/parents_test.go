//go:build linux || darwin || freebsd

package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const stranger = 12345

// Who may write above the home, or above a link on the way to it, can put another home in its place.
func TestParents(t *testing.T) {
	for _, tt := range []struct {
		name string
		mode fs.FileMode
		uid  int
		flaw Flaw // "": accepted
	}{
		{"private", 0o700, -1, ""},
		{"public", 0o755, -1, ""},
		{"group's", 0o775, -1, ParentMode},
		{"everybody's", 0o777, -1, ParentMode},
		{"everybody's, sticky", 0o777 | fs.ModeSticky, -1, ""},
		{"a stranger's", 0o755, stranger, ParentOwner},
		{"a stranger's, sticky", 0o777 | fs.ModeSticky, stranger, ParentOwner},
		{"nobody's", 0o755, 65534, ParentOwner},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.uid >= 0 && os.Geteuid() != 0 {
				t.Skip("SKIPPED: only root can give a directory away")
			}
			dir := real(t, fastDir(t))
			above := filepath.Join(dir, "above")
			require.NoError(t, os.MkdirAll(filepath.Join(above, "between"), 0o700))
			require.NoError(t, os.Symlink("above/between", filepath.Join(dir, "link")))
			require.NoError(t, os.Chmod(above, tt.mode))
			require.NoError(t, os.Chown(above, tt.uid, -1))
			for _, home := range []string{filepath.Join(above, "between", "home"), filepath.Join(dir, "link", "other")} {
				refusedBy(t, home, above, tt.flaw)
			}
		})
	}
}

// refusedBy makes a home, opens it again, and wants both refused for what is wrong with a path, unless that is vouched for.
func refusedBy(t *testing.T, home, path string, flaw Flaw) {
	t.Helper()
	for _, open := range []func(string, ...Option) (*Home, error){Create, Open} {
		h, err := open(home, AllowAnyFilesystem())
		if flaw == "" {
			require.NoError(t, err)
			require.NoError(t, h.Close())
			continue
		}
		var bad *UnsafeError
		require.ErrorAs(t, err, &bad)
		require.Equal(t, [2]string{path, string(flaw)}, [2]string{bad.Path, string(bad.Flaw)})
		require.Zero(t, bad.Found.Inode, "it is nothing of a home")
		create(t, home, TrustParents())
	}
}

// A link's own directory counts, and in a sticky one the link's owner.
func TestLinksAboveAHome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can give a link away")
	}
	dir := real(t, fastDir(t))
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"sticky", "open", "safe"} {
		require.NoError(t, os.Mkdir(at(name), 0o700))
	}
	require.NoError(t, os.Symlink(at("safe"), at("sticky/mine")))
	require.NoError(t, os.Symlink("../safe", at("sticky/theirs")))
	require.NoError(t, os.Symlink("../sticky/../safe", at("open/link")))
	require.NoError(t, os.Lchown(at("sticky/theirs"), stranger, -1))
	require.NoError(t, os.Chmod(at("sticky"), 0o777|fs.ModeSticky))
	require.NoError(t, os.Chmod(at("open"), 0o777))
	refusedBy(t, at("sticky/mine/a"), "", "")
	refusedBy(t, at("sticky/theirs/b"), at("sticky/theirs"), ParentOwner)
	refusedBy(t, at("open/link/c"), at("open"), ParentMode)
	require.NoError(t, os.Symlink("round", at("safe/round")))
	_, err := Create(at("safe/round/home"), AllowAnyFilesystem())
	require.ErrorContains(t, err, "too many levels of symbolic links")
}

// real is the path without the links of the system itself, such as /tmp on macOS.
func real(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return path
}
