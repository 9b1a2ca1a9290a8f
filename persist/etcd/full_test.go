package etcd

import (
	"sync"
	"sync/atomic"
	"testing"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// No fault is made up: many writers fill a small etcd at once, so that the space goes between its two looks at the quota.
func TestFullForReal(t *testing.T) {
	endpoint := server(t, func(cfg *embed.Config) { cfg.QuotaBackendBytes = 4 << 20 })
	s := open(t, newMachine(), func(o *options) { o.endpoints = []string{endpoint} })
	var full atomic.Int64
	var writers sync.WaitGroup
	for range 64 {
		writers.Go(func() {
			for err := error(nil); err == nil; {
				key := uuid.NewString()
				if err = attempt(persist.Create, key, nil, body(1, maxRecord)).Do(t.Context(), s, nil); err != nil {
					full.Add(1)
					assert.ErrorIs(t, err, ErrNoSpace)
					_, err := s.Read(t.Context(), key)
					assert.ErrorIs(t, err, persist.ErrNotExist, "said not to be written")
				}
			}
		})
	}
	writers.Wait()
	require.EqualValues(t, 64, full.Load())
}

// etcd ran out of space while it applied the write: our bytes are there, whatever the reply says.
func TestFullButCarriedOut(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, _ []byte) {
		n.let(overfull)
		require.NoError(t, a.Do(t.Context(), s, nil))
		require.Equal(t, 1, n.losses(), "nothing is sent again")
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}

// Nothing was written, and that is definite: it may be tried again.
func TestFull(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		n.let(full)
		err := a.Do(t.Context(), s, nil)
		require.ErrorIs(t, err, ErrNoSpace)
		require.NotErrorIs(t, err, persist.ErrUnsettled)
		require.Equal(t, before, content(t, s, a.Key))
		n.let(pass)
		require.NoError(t, a.Do(t.Context(), s, nil))
	})
}

// Nobody can look whether it was carried out: that is not known, however definite the reply sounds.
func TestFullAndNobodyLooks(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, _ []byte) {
		n.let(muffled)
		err := a.Do(t.Context(), s, nil)
		require.ErrorIs(t, err, persist.ErrUnsettled)
		require.NotErrorIs(t, err, ErrNoSpace)
		n.let(pass)
		require.Equal(t, a.Next, content(t, s, a.Key))
		require.NoError(t, a.Settle(t.Context(), s, nil))
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}

// An earlier sending may still land: full does not make that definite.
func TestFullAfterDoubt(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		n.let(held)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
		n.let(full)
		require.ErrorIs(t, a.Settle(t.Context(), s, nil), persist.ErrUnsettled)
		require.Equal(t, before, content(t, s, a.Key))
		require.Positive(t, n.land())
		require.NoError(t, a.Settle(t.Context(), s, nil), "it landed, and to see that takes no space")
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}

// Somebody else's bytes are the better answer.
func TestFullAndOvertaken(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		other := open(t, s.machine.ours)
		op, want := persist.Replace, persist.ErrChanged
		if before == nil {
			op, want = persist.Create, persist.ErrExists
		}
		put(t, other, op, a.Key, before, body(9, 700))
		n.let(full)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), want)
		require.Equal(t, body(9, 700), content(t, s, a.Key))
	})
}

func TestFullAndFenced(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		open(t, booted(s.machine.ours, "2"))
		n.let(full)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), ErrFenced)
		require.Equal(t, before, content(t, s, a.Key))
	})
}
