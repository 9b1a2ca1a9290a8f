//go:build unix

package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// The command that is printed, typed as it is, puts the directory right, and no other one that has its name by then.
func TestRemediesCanBeTyped(t *testing.T) {
	for _, mode := range []fs.FileMode{0o755, 0o500, 0o777 | fs.ModeSticky, 0o700 | fs.ModeSetgid} {
		home := filepath.Join(t.TempDir(), "it's a home; $(touch hit)")
		h, err := file.Create(home, file.AllowAnyFilesystem())
		require.NoError(t, err)
		require.NoError(t, h.Close())
		require.NoError(t, os.Chmod(home, mode))
		_, err = file.Open(home)
		_, command, found := strings.Cut(remedy(err), "Put it right with: ")
		require.True(t, found, "%v", err)
		require.NotContains(t, err.Error(), "chmod", "the library's text is right for every program")

		require.NoError(t, os.Rename(home, home+" aside"))
		require.NoError(t, os.Mkdir(home, 0o755))
		typed(t, command)
		i, err := os.Stat(home)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o755), i.Mode().Perm(), "it is another directory")
		require.NoError(t, os.Remove(home))
		require.NoError(t, os.Rename(home+" aside", home))
		typed(t, command)
		h, err = file.Open(home)
		require.NoError(t, err)
		require.NoError(t, h.Close())
	}
}

func typed(t *testing.T, command string) {
	t.Helper()
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, out)
}

// Where it is not certain that it is a home of ours nothing is printed that changes anything.
func TestNoRemedyForStrangers(t *testing.T) {
	for _, flaw := range []file.Flaw{file.WrongMode, file.WrongOwner, file.Linked, file.NotADirectory, file.NotALockFile, file.ParentMode, file.ParentOwner} {
		said := remedy(&file.UnsafeError{Path: "/x", Flaw: flaw})
		for _, word := range []string{"chmod", "chown", "mv ", "rm ", "mkdir"} {
			require.NotContains(t, said, word, flaw)
		}
	}
	require.NotContains(t, remedy(&file.UnsafeError{Path: "/x/leases", Flaw: file.PartMissing}), "mkdir")
	require.Empty(t, remedy(errors.New("another")))
}
