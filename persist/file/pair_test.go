//go:build linux || darwin || freebsd

package file

import (
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"containlease/persist"
)

// From its creation on, a lease is replaced without opening a file.
func TestReplaceOpensNothing(t *testing.T) {
	h, tr := newHome(t)
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1000), body(3, 1000)}
	put(t, h, persist.Create, keyA, nil, v[0])
	tr.watch(nil)
	for i := range 3 {
		put(t, h, persist.Replace, keyA, v[i], v[i+1])
	}
	require.Zero(t, tr.count("open", "openDir", "create"), "%v", tr.seen())
	put(t, h, persist.Remove, keyA, v[3], nil)
	require.Empty(t, h.store.settled)
}

// What lies under the two names is looked at before it is believed: somebody may have put other files there.
func TestHeldFilesThatLostTheirNames(t *testing.T) {
	v := [][]byte{body(0, 900), body(1, 900), body(2, 900)}
	forge := func(t *testing.T, path string, content []byte, mode os.FileMode) {
		require.NoError(t, os.Remove(path))
		scribble(t, path, mode)
		require.NoError(t, os.WriteFile(path, content, mode))
	}
	for name, tt := range map[string]struct {
		act  func(t *testing.T, record, spare string)
		want error // of the replacement; nil: it is made, in a new file if need be
	}{
		"record with other bytes":  {func(t *testing.T, r, _ string) { forge(t, r, v[2], 0o600) }, persist.ErrChanged},
		"record with equal bytes":  {func(t *testing.T, r, _ string) { forge(t, r, v[0], 0o600) }, nil},
		"record that all may read": {func(t *testing.T, r, _ string) { require.NoError(t, os.Chmod(r, 0o644)) }, persist.ErrChanged},
		"record that is gone":      {func(t *testing.T, r, _ string) { require.NoError(t, os.Remove(r)) }, persist.ErrChanged},
		"record written to":        {func(t *testing.T, r, _ string) { require.NoError(t, os.WriteFile(r, v[2], 0o600)) }, persist.ErrChanged},
		"spare that is gone":       {func(t *testing.T, _, s string) { require.NoError(t, os.Remove(s)) }, nil},
		"spare by somebody else":   {func(t *testing.T, _, s string) { forge(t, s, v[2], 0o600) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHome(t)
			put(t, h, persist.Create, keyA, nil, v[0])
			tt.act(t, h.leases.join(recordFile(keyA)), h.leases.join(spareFile(keyA)))
			err := attempt(persist.Replace, keyA, v[0], v[1]).Do(ctx, h.Store(), nil)
			if tt.want != nil {
				require.ErrorIs(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, v[1], content(t, h, keyA))
			put(t, h, persist.Replace, keyA, v[1], v[2])
			put(t, h, persist.Remove, keyA, v[2], nil)
			require.Empty(t, filesIn(t, h.leases.path))
		})
	}
}

// A spare that loses its name between stage and publication is never published under it.
func TestSpareTakenBeforePublication(t *testing.T) {
	for name, act := range map[string]func(t *testing.T, spare string){
		"gone":        func(t *testing.T, spare string) { require.NoError(t, os.Remove(spare)) },
		"other file":  func(t *testing.T, spare string) { require.NoError(t, os.Remove(spare)); scribble(t, spare, 0o600) },
		"not private": func(t *testing.T, spare string) { require.NoError(t, os.Chmod(spare, 0o666)) },
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHome(t)
			put(t, h, persist.Create, keyA, nil, body(0, 900))
			w, err := h.Store().Stage(ctx, keyA, body(1, 900))
			require.NoError(t, err)
			act(t, h.leases.join(spareFile(keyA)))
			err = w.Replace(ctx, persist.DigestOf(body(0, 900)))
			require.Error(t, err)
			require.NotErrorIs(t, err, persist.ErrUnsettled)
			require.NotErrorIs(t, err, persist.ErrChanged, "it may be tried again")
			w.Discard()
			require.Equal(t, body(0, 900), content(t, h, keyA))
			put(t, h, persist.Replace, keyA, body(0, 900), body(1, 900))
		})
	}
}

// However many leases one process moves, only so many files of theirs stay open.
func TestHeldFilesAreBounded(t *testing.T) {
	h, tr := newHome(t)
	var keys []string
	for range mostPairs + 3 {
		keys = append(keys, uuid.NewString())
		put(t, h, persist.Create, keys[len(keys)-1], nil, body(0, 900))
	}
	tr.watch(nil)
	for _, key := range keys {
		put(t, h, persist.Replace, key, body(0, 900), body(1, 900))
	}
	require.Equal(t, len(keys), tr.count("exchange"))
	require.NotZero(t, tr.count("open"))
	held := 0
	for _, p := range h.store.settled {
		if p.record != nil {
			held++
		}
	}
	require.LessOrEqual(t, held, mostPairs)
}
