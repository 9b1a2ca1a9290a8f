package persisttest

import (
	"fmt"
	"slices"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// Key returns the n-th of 65,536 keys that every store takes.
func Key(n uint16) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", n) }

var one, two, three = []byte("one\n"), []byte("a second content\n"), []byte("three\n")

// Run holds a store against every rule of [persist.Store], [persist.Write] and, where it is one, [persist.Syncer]. open returns
// an empty store, which the test owns; it closes what it opened by t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) persist.Store) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { r.check(t, open(t)) })
	}
}

type rule struct {
	name  string
	check func(*testing.T, persist.Store)
}

var rules = slices.Concat([]rule{
	{"read: there is none", func(t *testing.T, s persist.Store) {
		_, err := s.Read(t.Context(), Key(1))
		require.ErrorIs(t, err, persist.ErrNotExist)
	}},
	{"read: the caller owns the content", func(t *testing.T, s persist.Store) {
		put(t, s, Key(1), one)
		e, err := s.Read(t.Context(), Key(1))
		require.NoError(t, err)
		clear(e.Content)
		require.Equal(t, one, content(t, s, Key(1)))
	}},
	{"stage: invisible, and the content is the caller's again", func(t *testing.T, s persist.Store) {
		own := slices.Clone(one)
		w, err := s.Stage(t.Context(), Key(1), own)
		require.NoError(t, err)
		clear(own)
		require.Nil(t, content(t, s, Key(1)))
		require.Empty(t, list(t, s))
		require.NoError(t, w.Create(t.Context()))
		require.Equal(t, one, content(t, s, Key(1)), "visible before it is settled")
		require.NoError(t, w.Settle(t.Context()))
		require.Equal(t, one, content(t, s, Key(1)))
	}},
	{"a write is used once", func(t *testing.T, s persist.Store) {
		w, err := s.Stage(t.Context(), Key(1), one)
		require.NoError(t, err)
		require.Error(t, w.Settle(t.Context()), "nothing was published")
		require.NoError(t, w.Create(t.Context()))
		require.Error(t, w.Create(t.Context()))
		require.Error(t, w.Replace(t.Context(), persist.DigestOf(one)))
		require.NoError(t, w.Settle(t.Context()))
		require.Error(t, w.Settle(t.Context()))
	}},
	{"discard: gives up, twice too, and after a publication does nothing", func(t *testing.T, s persist.Store) {
		w, err := s.Stage(t.Context(), Key(1), one)
		require.NoError(t, err)
		w.Discard()
		w.Discard()
		require.Error(t, w.Create(t.Context()))
		require.Empty(t, list(t, s))
		w, err = s.Stage(t.Context(), Key(1), two)
		require.NoError(t, err)
		require.NoError(t, w.Create(t.Context()))
		w.Discard()
		require.NoError(t, w.Settle(t.Context()))
		require.Equal(t, two, content(t, s, Key(1)))
	}},
	{"a refused write may be discarded, and another made", func(t *testing.T, s persist.Store) {
		put(t, s, Key(1), one)
		w, err := s.Stage(t.Context(), Key(1), three)
		require.NoError(t, err)
		require.ErrorIs(t, w.Replace(t.Context(), persist.DigestOf(two)), persist.ErrChanged)
		w.Discard()
		require.NoError(t, attempt(persist.Replace, one, two).Do(t.Context(), s, nil))
		require.Equal(t, two, content(t, s, Key(1)))
	}},
	{"an ended context begins nothing", ended},
	{"a key is no path", badKeys},
	{"list: every record, each once, with its content", listing},
	{"list: a removed record is left out", removedWhileListed},
	{"many keys at once", together},
	{"staged side by side, published in turn", inTurn},
	{"sync: a removal, once more", func(t *testing.T, s persist.Store) {
		sy, ok := s.(persist.Syncer)
		if !ok {
			t.Skip("SKIPPED: this store promises that what landed is durable")
		}
		put(t, s, Key(1), one)
		require.NoError(t, attempt(persist.Remove, one, nil).Do(t.Context(), s, nil))
		require.NoError(t, sy.Sync(t.Context(), Key(1)))
		require.Nil(t, content(t, s, Key(1)))
	}},
}, conditions())

// conditions is one rule for every operation on every record that it may find.
func conditions() (rules []rule) {
	for _, c := range []struct {
		name    string
		before  []byte // nil: no record
		attempt persist.Attempt
		err     error
		after   []byte
	}{
		{"create", nil, attempt(persist.Create, nil, one), nil, one},
		{"create an empty one", nil, attempt(persist.Create, nil, []byte{}), nil, []byte{}},
		{"create over another", one, attempt(persist.Create, nil, two), persist.ErrExists, one},
		{"create over the same bytes", one, attempt(persist.Create, nil, one), persist.ErrExists, one},
		{"replace", one, attempt(persist.Replace, one, two), nil, two},
		{"replace by the same bytes", one, attempt(persist.Replace, one, one), nil, one},
		{"replace by a large one", one, attempt(persist.Replace, one, make([]byte, 32<<10)), nil, make([]byte, 32<<10)},
		{"replace another", two, attempt(persist.Replace, one, three), persist.ErrChanged, two},
		{"replace what is already so", two, attempt(persist.Replace, one, two), persist.ErrChanged, two},
		{"replace none", nil, attempt(persist.Replace, one, two), persist.ErrChanged, nil},
		{"remove", one, attempt(persist.Remove, one, nil), nil, nil},
		{"remove another", two, attempt(persist.Remove, one, nil), persist.ErrChanged, two},
		{"remove none", nil, attempt(persist.Remove, one, nil), persist.ErrChanged, nil},
	} {
		rules = append(rules, rule{c.name, func(t *testing.T, s persist.Store) {
			put(t, s, Key(2), three)
			if c.before != nil {
				put(t, s, Key(1), c.before)
			}
			err := c.attempt.Do(t.Context(), s, nil)
			require.ErrorIs(t, err, c.err)
			require.NotErrorIs(t, err, persist.ErrUnsettled)
			require.Equal(t, c.after, content(t, s, Key(1)))
			require.Equal(t, three, content(t, s, Key(2)), "another record was touched")
		}})
	}
	return rules
}
