//go:build linux || darwin || freebsd

package file

import (
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/persist"
)

// What is held open may have become the record meanwhile: to stage never writes into what is visible.
func TestStalePairIsNotWrittenInto(t *testing.T) {
	h, _ := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	other := create(t, h.Dir())
	for i := range 2 { // the second one exchanges the spare into the place of the record
		put(t, other, persist.Replace, keyA, body(i, 900), body(i+1, 900))
	}
	for range 2 {
		w, err := h.Store().Stage(ctx, keyA, body(9, 900))
		require.NoError(t, err)
		require.Equal(t, body(2, 900), content(t, h, keyA), "staged is invisible")
		require.ErrorIs(t, w.Replace(ctx, persist.DigestOf(body(0, 900))), persist.ErrChanged)
		w.Discard()
		require.Equal(t, body(2, 900), content(t, h, keyA))
	}
	put(t, h, persist.Replace, keyA, body(2, 900), body(3, 900))
}
