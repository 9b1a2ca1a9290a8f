package lease_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/lease"

	"github.com/stretchr/testify/require"
)

// TestABrokenPluginRecordIsNamed: whatever is wrong with it, the plugin is refused with the file and the next command, which never widens
// what may start; a list names it, and no other.
func TestABrokenPluginRecordIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	reg, err := lease.Open(t.Context(), dir)
	require.NoError(t, err)
	defer reg.Close()
	at := filepath.Join(dir, "plugins", "acme.json")
	for why, put := range map[string]func() error{
		"syntax":          func() error { return os.WriteFile(at, []byte("{"), 0o600) },
		"not-private":     func() error { return os.WriteFile(at, []byte("{}"), 0o644) },
		"not-regular":     func() error { return os.Mkdir(at, 0o700) },
		"a symbolic link": func() error { return os.Symlink("/dev/null", at) },
		"too-large":       func() error { return os.WriteFile(at, make([]byte, 1<<16), 0o600) },
	} {
		t.Run(why, func(t *testing.T) {
			require.NoError(t, put())
			defer os.Remove(at)
			_, err := reg.Plugin("acme")
			var bad *lease.PluginRecordError
			require.ErrorAs(t, err, &bad)
			require.ErrorIs(t, err, lease.ErrInvalid)
			require.ErrorContains(t, err, why)
			require.Equal(t, at, bad.Path)
			all, err := reg.BadPlugins()
			require.NoError(t, err)
			require.Len(t, all, 1)
			require.Equal(t, *bad, *all[0])
		})
	}
	all, err := reg.BadPlugins()
	require.NoError(t, err)
	require.Empty(t, all)
}
