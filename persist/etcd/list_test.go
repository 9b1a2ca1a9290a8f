package etcd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// fill makes n records, and returns their keys in order.
func fill(t testing.TB, s persist.Store, n int) (keys []string) {
	t.Helper()
	for i := range n {
		keys = append(keys, uuid.NewString())
		put(t, s, persist.Create, keys[i], nil, body(i, 700))
	}
	slices.Sort(keys)
	return keys
}

// A listing of many pages is of one revision, whatever is written while it is read.
func TestPagesAreOfOneRevision(t *testing.T) {
	s := open(t, newMachine(), PageSize(10))
	keys := fill(t, s, 35)
	content0 := content(t, s, keys[30])
	var seen []string
	for e, err := range s.List(t.Context()) {
		require.NoError(t, err)
		if len(seen) == 5 {
			put(t, s, persist.Replace, keys[30], content0, body(99, 700))
			last := content(t, s, keys[34])
			put(t, s, persist.Remove, keys[34], last, nil)
			fill(t, s, 20)
		}
		if e.Key == keys[30] {
			require.Equal(t, content0, e.Content)
		}
		seen = append(seen, e.Key)
	}
	require.Equal(t, keys, seen)
	again := 0
	for range s.List(t.Context()) {
		again++
	}
	require.Equal(t, 54, again)
}

func TestListingIsCompacted(t *testing.T) {
	s := open(t, newMachine(), PageSize(10))
	fill(t, s, 25)
	n := 0
	var last error
	for _, err := range s.List(t.Context()) {
		if n++; n == 1 {
			fill(t, s, 1)
			compact(t)
		}
		last = err
	}
	require.ErrorIs(t, last, ErrCompacted)
	require.Equal(t, 11, n, "one page and the error")
}

// compact makes etcd forget everything before now.
func compact(t testing.TB) {
	t.Helper()
	c := raw(t, shared)
	now, err := c.Get(t.Context(), root)
	require.NoError(t, err)
	_, err = c.Compact(t.Context(), now.Header.Revision)
	require.NoError(t, err)
}

// Bad records are entries, and the others are unaffected.
func TestBadRecords(t *testing.T) {
	m := newMachine()
	s := open(t, m)
	good := fill(t, s, 2)
	large := uuid.NewString()
	for name, value := range map[string]string{
		"README": "x", large: strings.Repeat("x", maxRecord+1), "sub/" + uuid.NewString(): "x", "\xff\n": "x", strings.ToUpper(uuid.NewString()): "x",
	} {
		_, err := raw(t, shared).Put(t.Context(), leasesPrefix(m.MachineID)+name, value)
		require.NoError(t, err)
	}
	kinds := map[persist.Kind]int{}
	for e, err := range s.List(t.Context()) {
		require.NoError(t, err)
		if e.Err == nil {
			require.Contains(t, good, e.Key)
			kinds["good"]++
			continue
		}
		var bad *persist.RecordError
		require.ErrorAs(t, e.Err, &bad)
		require.Nil(t, e.Content)
		require.NotContains(t, e.Key, "\n")
		kinds[bad.Kind]++
	}
	require.Equal(t, map[persist.Kind]int{"good": 2, persist.ForeignName: 4, persist.TooLarge: 1}, kinds, fmt.Sprint(kinds))
	_, err := s.Read(t.Context(), large)
	var bad *persist.RecordError
	require.ErrorAs(t, err, &bad)
}

// A store sees its own machine only.
func TestMachinesAreApart(t *testing.T) {
	a, b := open(t, newMachine()), open(t, newMachine())
	key := uuid.NewString()
	put(t, a, persist.Create, key, nil, body(1, 700))
	put(t, b, persist.Create, key, nil, body(2, 700))
	put(t, b, persist.Remove, key, body(2, 700), nil)
	require.Equal(t, body(1, 700), content(t, a, key))
	for range b.List(t.Context()) {
		require.Fail(t, "b has nothing")
	}
}
