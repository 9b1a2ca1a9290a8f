//go:build linux || darwin || freebsd

package persisttest_test

import (
	"path/filepath"
	"testing"

	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"
	"containlease/persist/persisttest"

	"github.com/stretchr/testify/require"
)

// stores are the stores of this module, and one of them behind a connection that happens to be good.
var stores = map[string]func(t *testing.T) persist.Store{
	"file":   func(t *testing.T) persist.Store { return homeIn(t, filepath.Join(t.TempDir(), "home")) },
	"memory": func(t *testing.T) persist.Store { return onMemory(t) },
	"faulty": func(t *testing.T) persist.Store { return persisttest.NewFaulty(onMemory(t)) },
}

func homeIn(t *testing.T, path string, opts ...file.Option) *file.Store {
	h, err := file.Create(path, append(opts, file.AllowAnyFilesystem())...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h.Store()
}

func onMemory(t *testing.T) *file.Store {
	return homeIn(t, "/home", file.On(memory.NewDisk().Process()))
}

func TestStores(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { persisttest.Run(t, open) })
	}
}
