package etcd

import (
	"testing"
	"time"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// hurried is little patience, for outcomes that are not to be waited for.
var hurried = Timeouts(200*time.Millisecond, 300*time.Millisecond)

var lives = map[string]struct {
	op           persist.Op
	before, next []byte
}{
	"create":  {persist.Create, nil, body(2, 700)},
	"replace": {persist.Replace, body(1, 700), body(2, 700)},
	"remove":  {persist.Remove, body(1, 700), nil},
}

// eachLife runs ask for every kind of write, on a store with a network that can be spoiled.
func eachLife(t *testing.T, ask func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte)) {
	for name, life := range lives {
		t.Run(name, func(t *testing.T) {
			n := &network{t: t}
			s := open(t, newMachine(), hurried, n.option())
			key := uuid.NewString()
			if life.before != nil {
				put(t, s, persist.Create, key, nil, life.before)
			}
			ask(t, s, n, attempt(life.op, key, life.before, life.next), life.before)
		})
	}
}

// One lost reply is made good within the write itself, whether the request was carried out or not.
func TestLostReplyIsSettledAtOnce(t *testing.T) {
	for name, f := range map[string]fate{"carried out": deaf, "lost": dropped, "held up": held} {
		t.Run(name, func(t *testing.T) {
			eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, _ []byte) {
				n.next(f)
				require.NoError(t, a.Do(t.Context(), s, nil))
				require.Equal(t, 1, n.losses())
				require.Equal(t, a.Next, content(t, s, a.Key))
				require.Zero(t, n.land(), "the copy that was held up cannot land any more")
				require.Equal(t, a.Next, content(t, s, a.Key))
			})
		})
	}
}

// The old bytes are read back, and then the write lands.
func TestLandsLate(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		n.let(held)
		err := a.Do(t.Context(), s, nil)
		require.ErrorIs(t, err, persist.ErrUnsettled)
		require.NotErrorIs(t, err, persist.ErrNotDurable)
		require.Equal(t, before, content(t, s, a.Key), "read back as old")
		require.Positive(t, n.land(), "and lands")
		require.Equal(t, a.Next, content(t, s, a.Key))
		n.let(pass)
		require.NoError(t, a.Settle(t.Context(), s, nil))
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}

// Settled first, the copies that were held up can do no harm for ever after: not even once the record is gone again.
func TestLateCopiesAreHarmless(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, _ []byte) {
		n.let(held)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
		n.let(pass)
		require.NoError(t, a.Settle(t.Context(), s, nil))
		require.Equal(t, a.Next, content(t, s, a.Key))
		if a.Next != nil {
			put(t, s, persist.Remove, a.Key, a.Next, nil)
		}
		require.Zero(t, n.land(), "a released lease came back")
		require.Nil(t, content(t, s, a.Key))
	})
}

// A creation that landed, of which the caller never heard, is sent again, and that copy is held up: it lands on nothing, not
// even after the removal.
func TestCreatedTwice(t *testing.T) {
	n := &network{t: t}
	s, key := open(t, newMachine(), n.option()), uuid.NewString()
	create := attempt(persist.Create, key, nil, body(1, 700))
	require.NoError(t, create.Do(t.Context(), s, nil))
	n.next(held)
	require.NoError(t, create.Settle(t.Context(), s, nil))
	put(t, s, persist.Remove, key, body(1, 700), nil)
	require.Zero(t, n.land())
	require.Nil(t, content(t, s, key))
}

func TestUnsettledTwice(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		for _, f := range []fate{dropped, barred, dropped} {
			n.let(f)
			require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
			require.ErrorIs(t, a.Settle(t.Context(), s, nil), persist.ErrUnsettled)
		}
		n.let(pass)
		require.Equal(t, before, content(t, s, a.Key))
		require.NoError(t, a.Settle(t.Context(), s, nil))
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}

// Somebody else's bytes in place of an unsettled write are a definite answer.
func TestUnsettledAndOvertaken(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		n.let(dropped)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
		n.let(pass)
		other := open(t, s.machine.ours)
		if before == nil {
			put(t, other, persist.Create, a.Key, nil, body(9, 700))
			require.ErrorIs(t, a.Settle(t.Context(), s, nil), persist.ErrExists)
		} else {
			put(t, other, persist.Replace, a.Key, before, body(9, 700))
			require.ErrorIs(t, a.Settle(t.Context(), s, nil), persist.ErrChanged)
		}
		require.Equal(t, body(9, 700), content(t, s, a.Key))
	})
}

// Two processes of one machine: one of them renews the machine's record, and the other takes no harm.
func TestRenewedByAnotherProcess(t *testing.T) {
	n := &network{t: t}
	m := newMachine()
	s, other := open(t, m, hurried, n.option()), open(t, m)
	n.next(held)
	put(t, s, persist.Create, uuid.NewString(), nil, body(1, 700))
	put(t, other, persist.Create, uuid.NewString(), nil, body(1, 700))
	require.Equal(t, s.machine.revision.Load(), other.machine.revision.Load())
}

// Nobody's reply was lost, and somebody else has done exactly what we want to do: that is not our write.
func TestSomebodyElseDidIt(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, _ *network, a persist.Attempt, _ []byte) {
		require.NoError(t, a.Do(t.Context(), open(t, s.machine.ours), nil))
		want := persist.ErrChanged
		if a.Op == persist.Create {
			want = persist.ErrExists
		}
		require.ErrorIs(t, a.Do(t.Context(), s, nil), want)
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}
