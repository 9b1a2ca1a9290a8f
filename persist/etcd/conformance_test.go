package etcd

import (
	"context"
	"testing"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// What every store has to do, asked through persist.Store only, so that a suite of package persist can take its place.
var conformance = map[string]func(t *testing.T, s persist.Store, key string){
	"nothing there": func(t *testing.T, s persist.Store, key string) {
		_, err := s.Read(t.Context(), key)
		require.ErrorIs(t, err, persist.ErrNotExist)
		require.ErrorIs(t, attempt(persist.Replace, key, body(0, 9), body(1, 9)).Do(t.Context(), s, nil), persist.ErrChanged)
		require.ErrorIs(t, attempt(persist.Remove, key, body(0, 9), nil).Do(t.Context(), s, nil), persist.ErrChanged)
		require.Nil(t, content(t, s, key))
	},
	"a whole life": func(t *testing.T, s persist.Store, key string) {
		for _, n := range []int{0, 1, 700, 32 << 10} {
			put(t, s, persist.Create, key, nil, body(1, n))
			require.Equal(t, body(1, n), content(t, s, key))
			put(t, s, persist.Replace, key, body(1, n), body(2, 700))
			put(t, s, persist.Replace, key, body(2, 700), body(2, 700))
			require.Equal(t, body(2, 700), content(t, s, key))
			put(t, s, persist.Remove, key, body(2, 700), nil)
			require.Nil(t, content(t, s, key))
		}
	},
	"somebody was there first": func(t *testing.T, s persist.Store, key string) {
		put(t, s, persist.Create, key, nil, body(1, 700))
		for _, next := range [][]byte{body(1, 700), body(2, 700)} { // also with our very bytes
			require.ErrorIs(t, attempt(persist.Create, key, nil, next).Do(t.Context(), s, nil), persist.ErrExists)
			require.ErrorIs(t, attempt(persist.Replace, key, body(0, 700), next).Do(t.Context(), s, nil), persist.ErrChanged)
		}
		require.ErrorIs(t, attempt(persist.Remove, key, body(0, 700), nil).Do(t.Context(), s, nil), persist.ErrChanged)
		require.Equal(t, body(1, 700), content(t, s, key))
	},
	"staged is invisible": func(t *testing.T, s persist.Store, key string) {
		mutable := body(1, 700)
		w, err := s.Stage(t.Context(), key, mutable)
		require.NoError(t, err)
		require.Nil(t, content(t, s, key))
		require.Error(t, w.Settle(t.Context()), "not published")
		clear(mutable)
		require.NoError(t, w.Create(t.Context()))
		require.NoError(t, w.Settle(t.Context()))
		w.Discard()
		require.Equal(t, body(1, 700), content(t, s, key))
		other, err := s.Stage(t.Context(), key, body(2, 700))
		require.NoError(t, err)
		other.Discard()
		require.Equal(t, body(1, 700), content(t, s, key))
	},
	"refused before anything is sent": func(t *testing.T, s persist.Store, key string) {
		var bad *persist.RecordError
		_, err := s.Stage(t.Context(), key, body(1, 32<<10+1))
		require.ErrorAs(t, err, &bad)
		require.Equal(t, persist.TooLarge, bad.Kind)
		for _, name := range []string{"", "x", "../" + key, key + "\x00", "3F2B8C1E-5D47-4A90-8B1F-6C0D2E9A7F53"} {
			_, err = s.Stage(t.Context(), name, nil)
			require.ErrorIs(t, err, ErrKey)
			_, err = s.Read(t.Context(), name)
			require.ErrorIs(t, err, ErrKey)
			_, err = s.Remove(t.Context(), name, persist.Digest{})
			require.ErrorIs(t, err, ErrKey)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = s.Stage(ended, key, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, persist.ErrUnsettled)
	},
	"settling what had landed": func(t *testing.T, s persist.Store, key string) {
		create := attempt(persist.Create, key, nil, body(1, 700))
		require.NoError(t, create.Do(t.Context(), s, nil))
		require.NoError(t, create.Settle(t.Context(), s, nil))
		replace := attempt(persist.Replace, key, body(1, 700), body(2, 700))
		require.NoError(t, replace.Do(t.Context(), s, nil))
		require.NoError(t, replace.Settle(t.Context(), s, nil))
		remove := attempt(persist.Remove, key, body(2, 700), nil)
		require.NoError(t, remove.Do(t.Context(), s, nil))
		require.NoError(t, remove.Settle(t.Context(), s, nil))
	},
	"a listing is everything, sorted": func(t *testing.T, s persist.Store, _ string) {
		want := map[string]string{}
		for i := range 7 {
			key := uuid.NewString()
			want[key] = string(body(i, 700))
			put(t, s, persist.Create, key, nil, body(i, 700))
		}
		last := ""
		for e, err := range s.List(t.Context()) {
			require.NoError(t, err)
			require.NoError(t, e.Err)
			require.Less(t, last, e.Key)
			require.Equal(t, want[e.Key], string(e.Content))
			require.Equal(t, persist.DigestOf(e.Content), e.Digest)
			last = e.Key
			delete(want, e.Key)
		}
		require.Empty(t, want)
	},
}

func TestConformance(t *testing.T) {
	for name, ask := range conformance {
		t.Run(name, func(t *testing.T) { ask(t, open(t, newMachine()), uuid.NewString()) })
		t.Run(name+", three a page", func(t *testing.T) { ask(t, open(t, newMachine(), PageSize(3)), uuid.NewString()) })
	}
}
