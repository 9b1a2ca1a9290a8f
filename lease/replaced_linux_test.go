package lease_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// What holds no lease and is replaced midway, by another directory or by a link, is reported by all that would write to it or
// go by it; nothing is written beside, and who does not need it is not disturbed.
func TestPluginsReplacedMidway(t *testing.T) {
	for how, replace := range replacements {
		t.Run(how, func(t *testing.T) {
			watch(t)
			reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
			require.NoError(t, err)
			defer reg.Close()
			enabled := &leasefile.PluginV1{Identity: operationOf("mine"), Executable: "/bin/true"}
			require.NoError(t, reg.EnablePlugin(t.Context(), enabled))
			h := acquire(t, reg, "mine")
			beside := replace(t, filepath.Join(reg.Dir(), "plugins"))
			require.ErrorIs(t, reg.EnablePlugin(t.Context(), enabled), file.ErrHomeReplaced)
			require.Error(t, reg.DisablePlugin(t.Context(), "mine"))
			_, err = reg.Plugins()
			require.ErrorIs(t, err, file.ErrHomeReplaced, "what is enabled is not known any more")
			_, err = reg.Acquire(t.Context(), operationOf("mine"), "")
			require.ErrorIs(t, err, file.ErrHomeReplaced)
			requireAlone(t, reg, beside, h.ID())
			release(t, h)
		})
	}
}

func TestQuarantineReplacedMidway(t *testing.T) {
	for how, replace := range replacements {
		t.Run(how, func(t *testing.T) {
			watch(t)
			reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"))
			require.NoError(t, err)
			defer reg.Close()
			h := acquire(t, reg, "mine")
			odd := filepath.Join(reg.Dir(), "leases", "odd")
			require.NoError(t, os.WriteFile(odd, []byte("{}"), 0o600))
			var i lease.Inspection
			for found, err := range reg.List(t.Context()) {
				require.NoError(t, err)
				if found.Foreign {
					i = found
				}
			}
			beside := replace(t, filepath.Join(reg.Dir(), "quarantine"))
			_, err = reg.Quarantine(t.Context(), i.ID, i.Digest, "I have looked at it")
			require.ErrorIs(t, err, file.ErrHomeReplaced)
			require.FileExists(t, odd)
			requireAlone(t, reg, beside, h.ID())
			release(t, acquire(t, reg, "other")) // no lease has to do with it
			release(t, h)
		})
	}
}

// replacements return where the other directory is.
var replacements = map[string]func(t *testing.T, path string) string{
	"directory": func(t *testing.T, path string) string {
		require.NoError(t, os.Rename(path, path+".aside"))
		require.NoError(t, os.Mkdir(path, 0o700))
		return path
	},
	"symbolic link": func(t *testing.T, path string) string {
		elsewhere := t.TempDir()
		require.NoError(t, os.Rename(path, path+".aside"))
		require.NoError(t, os.Symlink(elsewhere, path))
		return elsewhere
	},
}

// requireAlone: nothing lies in the other directory, and the lease is listed as at work.
func requireAlone(t *testing.T, reg *lease.Registry, beside, id string) {
	t.Helper()
	entries, err := os.ReadDir(beside)
	require.NoError(t, err)
	require.Empty(t, entries, "written beside")
	found := map[string]verdict.Outcome{}
	for i, err := range reg.List(t.Context()) {
		require.NoError(t, err)
		found[i.ID] = i.Verdict.Outcome
	}
	require.Equal(t, verdict.Active, found[id])
}
