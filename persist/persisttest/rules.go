package persisttest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func attempt(op persist.Op, old, next []byte) persist.Attempt {
	return persist.Attempt{Key: Key(1), Op: op, Old: persist.DigestOf(old), Next: next}
}

func put(t *testing.T, s persist.Store, key string, next []byte) {
	t.Helper()
	require.NoError(t, persist.Attempt{Key: key, Op: persist.Create, Next: next}.Do(t.Context(), s, nil))
}

// content is what is stored; nil where there is no record.
func content(t *testing.T, s persist.Store, key string) []byte {
	t.Helper()
	e, err := s.Read(t.Context(), key)
	if err != nil {
		require.ErrorIs(t, err, persist.ErrNotExist)
		return nil
	}
	require.NoError(t, e.Err)
	require.Equal(t, key, e.Key)
	require.Equal(t, persist.DigestOf(e.Content), e.Digest)
	return append([]byte{}, e.Content...)
}

func list(t *testing.T, s persist.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for e, err := range s.List(t.Context()) {
		require.NoError(t, err)
		require.NoError(t, e.Err)
		require.NotContains(t, all, e.Key)
		require.Equal(t, persist.DigestOf(e.Content), e.Digest)
		all[e.Key] = string(e.Content)
	}
	return all
}

func ended(t *testing.T, s persist.Store) {
	put(t, s, Key(1), one)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Read(over, Key(1))
	require.ErrorIs(t, err, context.Canceled)
	for _, a := range []persist.Attempt{{Key: Key(2), Op: persist.Create, Next: two}, attempt(persist.Replace, one, two), attempt(persist.Remove, one, nil)} {
		err := a.Do(over, s, nil)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, persist.ErrUnsettled, "it was never begun")
	}
	require.Equal(t, map[string]string{Key(1): string(one)}, list(t, s))
}

func badKeys(t *testing.T, s persist.Store) {
	for _, key := range []string{"", ".", "..", "../escape", "a/b", "a\x00b", "\xff", Key(1) + "/", "." + Key(1)} {
		for _, op := range []persist.Op{persist.Create, persist.Replace, persist.Remove} {
			require.Error(t, persist.Attempt{Key: key, Op: op, Next: one}.Do(t.Context(), s, nil), "%q", key)
		}
		_, err := s.Read(t.Context(), key)
		require.Error(t, err, "%q", key)
	}
	require.Empty(t, list(t, s))
}

func listing(t *testing.T, s persist.Store) {
	want := map[string]string{}
	for n := range uint16(20) {
		want[Key(n)] = fmt.Sprint("content ", n)
		put(t, s, Key(n), []byte(want[Key(n)]))
	}
	require.Equal(t, want, list(t, s))
	for range s.List(t.Context()) {
		break // a caller may stop early
	}
}

func removedWhileListed(t *testing.T, s persist.Store) {
	put(t, s, Key(1), one)
	put(t, s, Key(2), two)
	var seen []string
	for e, err := range s.List(t.Context()) {
		require.NoError(t, err)
		require.NoError(t, e.Err)
		seen = append(seen, e.Key)
		if len(seen) == 1 {
			other, was := Key(1), one
			if e.Key == other {
				other, was = Key(2), two
			}
			require.NoError(t, persist.Attempt{Key: other, Op: persist.Remove, Old: persist.DigestOf(was)}.Do(t.Context(), s, nil))
		}
	}
	// A store that read everything at once may still yield it.
	require.NotEmpty(t, seen)
	require.Len(t, list(t, s), 1)
}

func together(t *testing.T, s persist.Store) {
	var all sync.WaitGroup
	errs := make([]error, 8)
	for n := range errs {
		all.Go(func() { errs[n] = life(t.Context(), s, Key(uint16(n))) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Empty(t, list(t, s))
}

// life is a record's life; somebody who looks sees each content as it was written.
func life(ctx context.Context, s persist.Store, key string) error {
	a := persist.Attempt{Key: key, Op: persist.Create, Next: fmt.Appendf(nil, "%s 0", key)}
	for n := 1; n < 20; n++ {
		if err := a.Do(ctx, s, nil); err != nil {
			return err
		}
		for e, err := range s.List(ctx) {
			if err != nil || e.Err != nil || e.Key == key && string(e.Content) != string(a.Next) {
				return fmt.Errorf("listed: %q %w %w", e.Content, err, e.Err)
			}
		}
		a = persist.Attempt{Key: key, Op: persist.Replace, Old: persist.DigestOf(a.Next), Next: fmt.Appendf(nil, "%s %d", key, n)}
	}
	return persist.Attempt{Key: key, Op: persist.Remove, Old: a.Old}.Do(ctx, s, nil)
}

func inTurn(t *testing.T, s persist.Store) {
	var writes []persist.Write
	for n := range 4 {
		w, err := s.Stage(t.Context(), Key(uint16(n)), fmt.Appendf(nil, "%d", n))
		require.NoError(t, err)
		writes = append(writes, w)
	}
	for _, w := range writes {
		require.NoError(t, w.Create(t.Context()))
		require.NoError(t, w.Settle(t.Context()))
	}
	require.ErrorIs(t, attempt(persist.Create, nil, one).Do(t.Context(), s, nil), persist.ErrExists)
	require.Len(t, list(t, s), len(writes))
}
