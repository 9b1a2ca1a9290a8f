//go:build linux || darwin || freebsd

package file

import (
	"context"
	"os"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func TestSweep(t *testing.T) {
	h, tr := newHome(t)
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	put(t, h, persist.Create, keyB, nil, body(1, 900))
	require.NoError(t, h.WriteRecord("owners/"+keyA+".json", body(1, 9), Volatile))
	require.NoError(t, h.WriteRecord("owners/"+keyB+".json", body(1, 9), Volatile))
	tr.watch(nil)
	for _, listings := range [][]string{{"names", "names"}, {"names"}, {"names"}} {
		removed, err := sweepAll(h)
		require.NoError(t, err)
		require.Empty(t, removed, "both leases are there")
		require.Equal(t, append([]string{"lstat", "names"}, listings...), tr.seen(), "the keys, a listing of owners/, at first of leases/ too, and nothing else")
		tr.watch(nil)
	}

	require.NoError(t, os.Remove(h.leases.join(recordFile(keyA))))
	require.NoError(t, os.Remove(h.leases.join(recordFile(keyB))))
	for _, name := range []string{h.owners.join(keyA + ".json.next"), h.leases.join(nextFile(keyB)), h.owners.join("stranger"), h.owners.join(keyB + ".other")} {
		scribble(t, name, 0o600)
	}
	tr.watch(nil)
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"owners/" + keyB + ".json", "leases/" + nextFile(keyB), "leases/" + spareFile(keyB)}, removed, "A's lock is held")
	require.Zero(t, tr.count("sync", "syncData"))

	require.NoError(t, live.Close())
	tr.watch(at("owned", syscall.EIO, false))
	removed, err = sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, removed, "not known counts as held")
	tr.watch(nil)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = h.Sweep(ended, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, filesIn(t, h.leases.path))
	require.ElementsMatch(t, []string{"stranger", keyB + ".other"}, filesIn(t, h.owners.path))
}

// sweepAll sweeps as an acquire does.
func sweepAll(h *Home) ([]string, error) {
	keys, err := h.Store().Keys(ctx)
	if err != nil {
		return nil, err
	}
	return h.Sweep(ctx, keys)
}

// A spare that a power loss parted from its owner's files is found by the first sweep of a process; one that lies beside them
// goes first, so that a sweep that dies in the middle is taken up by the next one.
func TestSweepOfSpares(t *testing.T) {
	h, tr := newHome(t)
	scribble(t, h.leases.join(spareFile(keyA)), 0o600)
	_, err := sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, filesIn(t, h.leases.path))

	// What an owner leaves that died before it had a lock is found by the listing that every acquire makes.
	scribble(t, h.leases.join(nextFile(keyA)), 0o600)
	tr.watch(nil)
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.Equal(t, []string{"leases/" + nextFile(keyA)}, removed)
	require.Equal(t, 2, tr.count("names"), "leases/ is not listed again")

	scribble(t, h.leases.join(spareFile(keyB)), 0o600)
	scribble(t, h.owners.join(keyB+lockSuffix), 0o600)
	unlinked := 0
	tr.watch(func(call string) (error, bool) {
		if call == "unlink" {
			unlinked++
		}
		return map[bool]error{true: syscall.EIO}[unlinked == 2], false
	})
	_, err = sweepAll(h)
	require.ErrorIs(t, err, syscall.EIO)
	require.Empty(t, filesIn(t, h.leases.path))
	require.Len(t, filesIn(t, h.owners.path), 1)
	tr.watch(nil)
	removed, err = sweepAll(h)
	require.NoError(t, err)
	require.Equal(t, []string{"owners/" + keyB + lockSuffix}, removed)
}
