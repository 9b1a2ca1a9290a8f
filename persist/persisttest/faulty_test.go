//go:build linux || darwin || freebsd

package persisttest_test

import (
	"context"
	"testing"

	"containlease/persist"
	"containlease/persist/persisttest"

	"github.com/stretchr/testify/require"
)

// Each fault answers and leaves what it says.
func TestFaults(t *testing.T) {
	old, next := []byte("old\n"), []byte("next\n")
	replace := persist.Attempt{Key: persisttest.Key(1), Op: persist.Replace, Old: persist.DigestOf(old), Next: next}
	tests := []struct {
		fault  persisttest.Fault
		err    error
		landed bool
	}{
		{persisttest.None, nil, true},
		{persisttest.NotStaged, persisttest.ErrInjected, false},
		{persisttest.LostRequest, persist.ErrUnsettled, false},
		{persisttest.LostReply, persist.ErrUnsettled, true},
		{persisttest.LandsLate, persist.ErrUnsettled, false},
		{persisttest.ErrorAfterCommit, persist.ErrUnsettled, true},
		{persisttest.NotDurable, persist.ErrNotDurable, true},
	}
	for _, tt := range tests {
		t.Run(tt.fault.String(), func(t *testing.T) {
			f := persisttest.NewFaulty(onMemory(t))
			require.NoError(t, persist.Attempt{Key: persisttest.Key(1), Op: persist.Create, Next: old}.Do(t.Context(), f, nil))
			f.Next(tt.fault)
			require.ErrorIs(t, replace.Do(t.Context(), f, nil), tt.err)
			read := func() string {
				e, err := f.Read(t.Context(), persisttest.Key(1))
				require.NoError(t, err)
				return string(e.Content)
			}
			require.Equal(t, map[bool]string{true: string(next), false: string(old)}[tt.landed], read())
			f.Deliver()
			require.Equal(t, map[bool]string{true: string(next), false: string(old)}[tt.landed || tt.fault == persisttest.LandsLate], read())
			f.Blind(true)
			_, err := f.Read(t.Context(), persisttest.Key(1))
			var bad *persist.RecordError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, persist.Unreadable, bad.Kind)
		})
	}
}

// A slow write waits until it is told to go on, or until nobody waits for it any more.
func TestSlow(t *testing.T) {
	for _, resume := range []bool{true, false} {
		f := persisttest.NewFaulty(onMemory(t))
		f.Next(persisttest.Slow)
		ctx, cancel := context.WithCancel(t.Context())
		answer := make(chan error)
		go func() {
			answer <- persist.Attempt{Key: persisttest.Key(1), Op: persist.Create, Next: []byte("x")}.Do(ctx, f, nil)
		}()
		require.Equal(t, persisttest.Key(1), <-f.Waiting())
		_, err := f.Read(t.Context(), persisttest.Key(1))
		require.ErrorIs(t, err, persist.ErrNotExist)
		if resume {
			f.Resume()
			require.NoError(t, <-answer)
		} else {
			cancel()
			require.ErrorIs(t, <-answer, persist.ErrUnsettled)
		}
		cancel()
	}
}

// A creation that is on its way does not bring a removed record back.
func TestLateCreationAfterTheRemoval(t *testing.T) {
	f := persisttest.NewFaulty(onMemory(t))
	create := persist.Attempt{Key: persisttest.Key(1), Op: persist.Create, Next: []byte("x")}
	f.Next(persisttest.LandsLate)
	require.ErrorIs(t, create.Do(t.Context(), f, nil), persist.ErrUnsettled)
	require.NoError(t, create.Settle(t.Context(), f, nil))
	require.NoError(t, persist.Attempt{Key: create.Key, Op: persist.Remove, Old: persist.DigestOf(create.Next)}.Do(t.Context(), f, nil))
	require.Equal(t, 1, f.Late())
	f.Deliver()
	_, err := f.Read(t.Context(), create.Key)
	require.ErrorIs(t, err, persist.ErrNotExist)
}
