//go:build linux || darwin || freebsd

package file

import (
	"os"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func TestWritesAndConflicts(t *testing.T) {
	v1, v2, long := body(1, 900), body(2, 1100), body(3, 4000)
	tests := []struct {
		name    string
		before  []byte // nil: no record
		attempt persist.Attempt
		err     error
		after   []byte
	}{
		{"create", nil, attempt(persist.Create, keyA, nil, v1), nil, v1},
		{"create empty", nil, attempt(persist.Create, keyA, nil, []byte{}), nil, []byte{}},
		{"create over", v1, attempt(persist.Create, keyA, nil, v2), persist.ErrExists, v1},
		{"create over equal", v1, attempt(persist.Create, keyA, nil, v1), persist.ErrExists, v1},
		{"replace", v1, attempt(persist.Replace, keyA, v1, v2), nil, v2},
		{"replace longer than the spare", v1, attempt(persist.Replace, keyA, v1, long), nil, long},
		{"replace shorter", v2, attempt(persist.Replace, keyA, v2, v1), nil, v1},
		{"replace others", v2, attempt(persist.Replace, keyA, v1, long), persist.ErrChanged, v2},
		{"replace none", nil, attempt(persist.Replace, keyA, v1, v2), persist.ErrChanged, nil},
		{"remove", v1, attempt(persist.Remove, keyA, v1, nil), nil, nil},
		{"remove others", v2, attempt(persist.Remove, keyA, v1, nil), persist.ErrChanged, v2},
		{"remove none", nil, attempt(persist.Remove, keyA, v1, nil), persist.ErrChanged, nil},
		{"no key", nil, attempt(persist.Create, "../escape", nil, v1), ErrName, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := newHome(t)
			put(t, h, persist.Create, keyB, nil, v1)
			if tt.before != nil {
				put(t, h, persist.Create, keyA, nil, tt.before)
			}
			err := tt.attempt.Do(ctx, h.Store(), nil)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.after, content(t, h, keyA))
			require.Equal(t, v1, content(t, h, keyB), "another record was touched")
			want := []string{spareFile(keyB), recordFile(keyB)}
			if tt.after != nil {
				want = append(want, spareFile(keyA), recordFile(keyA))
			}
			require.ElementsMatch(t, want, filesIn(t, h.leases.path))
		})
	}
}

func TestSyncCounts(t *testing.T) {
	h, tr := newHome(t)
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1098), body(3, 1105)}
	count := func(what string, files, dirs int, do func()) {
		tr.watch(nil)
		do()
		require.Equal(t, [2]int{files, dirs}, [2]int{tr.count("syncData"), tr.count("sync")}, what)
	}
	count("create", 1, 1, func() { put(t, h, persist.Create, keyA, nil, v[0]) })
	require.Equal(t, 2, tr.count("reserve"), "the space of the record and of its spare")
	for i := range 3 {
		count("replace", 1, 1, func() { put(t, h, persist.Replace, keyA, v[i], v[i+1]) })
		require.Equal(t, 1, tr.count("exchange"), "the spare was not used: %v", tr.seen())
		require.Zero(t, tr.count("create", "reserve", "rename"), "space was asked for: %v", tr.seen())
	}
	count("refused replace", 1, 0, func() {
		require.ErrorIs(t, attempt(persist.Replace, keyA, v[0], v[1]).Do(ctx, h.Store(), nil), persist.ErrChanged)
	})
	count("remove", 0, 1, func() { put(t, h, persist.Remove, keyA, v[3], nil) })
	require.Empty(t, filesIn(t, h.leases.path))
}

func TestWholeLifeTakesNineSyncs(t *testing.T) {
	h, tr := newHome(t)
	tr.watch(nil)
	require.NoError(t, life(h))
	require.Equal(t, 2+3*2+1, tr.count("syncData", "sync"))
}

// The record and the spare take turns, and both have all their space from the start.
func TestSpareTakesTurns(t *testing.T) {
	h, _ := newHome(t)
	record, spare := h.leases.join(recordFile(keyA)), h.leases.join(spareFile(keyA))
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	first, second := inodeOf(t, record), inodeOf(t, spare)
	put(t, h, persist.Replace, keyA, body(0, 900), body(1, 1000))
	require.Equal(t, second.Inode, inodeOf(t, record).Inode)
	require.Equal(t, first.Inode, inodeOf(t, spare).Inode)
	put(t, h, persist.Replace, keyA, body(1, 1000), body(2, 950))
	require.Equal(t, first.Inode, inodeOf(t, record).Inode)
	require.Greater(t, inodeOf(t, record).Mtime, first.Mtime, "a reader could not tell that the file was overwritten")
	for _, path := range []string{record, spare} {
		require.Equal(t, os.FileMode(0o600), inodeOf(t, path).Mode)
	}
}

// A store that did not make the spare cannot know whether its last exchange was settled.
func TestStrangersSpareIsNotOverwritten(t *testing.T) {
	h, _ := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	put(t, h, persist.Replace, keyA, body(0, 900), body(1, 900))
	other, tr := create(t, h.Dir()), &trap{system: mustSystem(t)}
	other.leases.sys = tr
	put(t, other, persist.Replace, keyA, body(1, 900), body(2, 900))
	require.Equal(t, 0, tr.count("exchange"))
	old, err := os.ReadFile(h.leases.join(spareFile(keyA)))
	require.NoError(t, err)
	require.Equal(t, body(0, 900), old)
	tr.watch(nil)
	put(t, other, persist.Replace, keyA, body(2, 900), body(3, 900))
	require.Equal(t, 1, tr.count("exchange"), "settled by this store now")
}

func TestWithoutExchange(t *testing.T) {
	h, tr := newHome(t)
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1000)}
	put(t, h, persist.Create, keyA, nil, v[0])
	tr.watch(at("exchange", errUnsupported, false))
	put(t, h, persist.Replace, keyA, v[0], v[1])
	put(t, h, persist.Replace, keyA, v[1], v[2])
	require.Equal(t, 1, tr.count("exchange"), "asked once in a home")
	require.Equal(t, v[2], content(t, h, keyA))
	put(t, h, persist.Remove, keyA, v[2], nil)
	require.Empty(t, filesIn(t, h.leases.path))
}

func TestWithoutNamelessFiles(t *testing.T) {
	h, tr := newHome(t)
	h.leases.sys = namedOnly{tr}
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	require.ErrorIs(t, attempt(persist.Create, keyA, nil, body(5, 9)).Do(ctx, h.Store(), nil), persist.ErrExists)
	put(t, h, persist.Replace, keyA, body(0, 900), body(1, 1000))
	require.Equal(t, body(1, 1000), content(t, h, keyA))
	require.ElementsMatch(t, []string{recordFile(keyA), spareFile(keyA)}, filesIn(t, h.leases.path))
	put(t, h, persist.Remove, keyA, body(1, 1000), nil)
	require.Empty(t, filesIn(t, h.leases.path))
}

// namedOnly is a file system without nameless files.
type namedOnly struct{ *trap }

func (n namedOnly) Create(d int, name string) (int, error) {
	if name == "" {
		return -1, errUnsupported
	}
	return n.trap.Create(d, name)
}

func (n namedOnly) Link(int, int, string) error { return errUnsupported }

func TestDiscardLeavesNothing(t *testing.T) {
	h, tr := newHome(t)
	w, err := h.Store().Stage(ctx, keyA, body(1, 900))
	require.NoError(t, err)
	w.Discard()
	w.Discard()
	require.Empty(t, filesIn(t, h.leases.path))
	require.Error(t, w.Create(ctx), "a discarded write")
	require.Error(t, w.Settle(ctx), "nothing was published")

	w, err = h.Store().Stage(ctx, keyA, body(1, 900))
	require.NoError(t, err)
	require.NoError(t, w.Create(ctx))
	w.Discard()
	require.Error(t, w.Create(ctx), "published once")
	require.NoError(t, w.Settle(ctx), "Discard after a publication does nothing")
	require.Error(t, w.Settle(ctx), "a settle is not repeated")
	require.Equal(t, body(1, 900), content(t, h, keyA))

	w, err = h.Store().Stage(ctx, keyA, body(2, 900))
	require.NoError(t, err)
	w.Discard()
	tr.watch(nil)
	put(t, h, persist.Replace, keyA, body(1, 900), body(3, 900))
	require.Equal(t, 1, tr.count("exchange"), "a spare that was never exchanged stays a spare")
}
