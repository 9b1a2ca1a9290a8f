//go:build linux || darwin || freebsd

package file

import (
	"os"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func TestQuarantineTakesWhateverListShows(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyB, nil, body(1, 900))
	require.NoError(t, os.Mkdir(h.leases.join("a directory"), 0o700))
	require.NoError(t, syscall.Mkfifo(h.leases.join(recordFile(keyA)), 0o600))
	scribble(t, h.leases.join("bad\n\xffname"), 0o600)
	for _, e := range list(t, h) {
		if e.Err == nil {
			continue
		}
		before := inodeOf(t, h.leases.join(must(storedName(e.Key))))
		tr.watch(nil)
		as, settle, err := h.Quarantine(e.Key)
		require.NoError(t, err)
		require.Zero(t, tr.count("sync"), "the catalogue lock is held")
		require.NoError(t, settle())
		require.Equal(t, 2, tr.count("sync"))
		require.Equal(t, before.Inode, inodeOf(t, h.root.join(as)).Inode)
		_, _, err = h.Quarantine(e.Key)
		require.ErrorIs(t, err, persist.ErrNotExist)
	}
	require.Len(t, list(t, h), 1)
	require.Len(t, filesIn(t, h.quarantined.path), 3)
	for _, key := range []string{"", ".", "..", "../lock", spareFile(keyB), `"`, `"\x00"`, `"../lock"`} {
		_, _, err := h.Quarantine(key)
		require.ErrorIs(t, err, ErrName, key)
	}
}

func TestQuarantineReplacesNothing(t *testing.T) {
	h, tr := newHome(t)
	for i, want := range []string{"odd", "odd.1", "odd.2"} {
		require.NoError(t, os.WriteFile(h.leases.join("odd"), body(i, 80), 0o600))
		as, settle, err := h.Quarantine("odd")
		require.NoError(t, err)
		require.NoError(t, settle())
		require.Equal(t, quarantineDir+"/"+want, as)
		kept, err := os.ReadFile(h.root.join(as))
		require.NoError(t, err)
		require.Equal(t, body(i, 80), kept)
	}
	scribble(t, h.leases.join("odd"), 0o600)
	tr.watch(at("sync", syscall.EIO, false))
	_, settle, err := h.Quarantine("odd")
	require.NoError(t, err)
	require.ErrorIs(t, settle(), persist.ErrNotDurable)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
