package etcd

import (
	"testing"

	"containlease/persist"
	"containlease/persist/persisttest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// stores are the ways to have one: each of a machine of its own, so that it is empty.
var stores = map[string]func(t *testing.T) persist.Store{
	"as it comes":  func(t *testing.T) persist.Store { return open(t, newMachine()) },
	"three a page": func(t *testing.T) persist.Store { return open(t, newMachine(), PageSize(3)) },
	"bad network, good luck": func(t *testing.T) persist.Store {
		n := &network{t: t}
		n.next(held) // registering
		return open(t, newMachine(), n.option())
	},
}

// The rules of package persist for every store.
func TestConformance(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { persisttest.Run(t, open) })
	}
}

// What has no business in etcd is refused before anything is sent.
func TestRefusedBeforeItIsSent(t *testing.T) {
	n := &network{t: t}
	s := open(t, newMachine(), n.option())
	key := uuid.NewString()
	n.let(barred)
	var bad *persist.RecordError
	_, err := s.Stage(t.Context(), key, body(1, 32<<10+1))
	require.ErrorAs(t, err, &bad)
	require.Equal(t, persist.TooLarge, bad.Kind)
	for _, name := range []string{"x", key + "\x00", "3F2B8C1E-5D47-4A90-8B1F-6C0D2E9A7F53", "3f2b8c1e-5d47-1a90-8b1f-6c0d2e9a7f53"} {
		_, err = s.Stage(t.Context(), name, nil)
		require.ErrorIs(t, err, ErrKey)
		_, err = s.Read(t.Context(), name)
		require.ErrorIs(t, err, ErrKey)
		_, err = s.Remove(t.Context(), name, persist.Digest{})
		require.ErrorIs(t, err, ErrKey)
	}
	require.Zero(t, n.losses())
}

// No content is an empty one; it removes nothing.
func TestNoContentIsNoRemoval(t *testing.T) {
	s, key := open(t, newMachine()), uuid.NewString()
	put(t, s, persist.Create, key, nil, body(1, 700))
	put(t, s, persist.Replace, key, body(1, 700), nil)
	require.Equal(t, []byte{}, content(t, s, key))
	put(t, s, persist.Replace, key, nil, body(2, 700))
}

// Settling what was never in doubt says that it landed.
func TestSettlingWhatHadLanded(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, _ *network, a persist.Attempt, _ []byte) {
		require.NoError(t, a.Do(t.Context(), s, nil))
		require.NoError(t, a.Settle(t.Context(), s, nil))
		require.Equal(t, a.Next, content(t, s, a.Key))
	})
}
