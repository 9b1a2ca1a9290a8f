package etcd

import (
	"errors"
	"testing"

	"containlease/gen/leasefile"
	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// fenced asks all three writes, none of which may happen. key has content old.
func fenced(t *testing.T, s *Store, key string, old []byte) *FencedError {
	t.Helper()
	var f *FencedError
	fresh := uuid.NewString()
	for _, a := range []persist.Attempt{
		attempt(persist.Create, fresh, nil, body(5, 700)),
		attempt(persist.Replace, key, old, body(6, 700)),
		attempt(persist.Remove, key, old, nil),
	} {
		err := a.Do(t.Context(), s, nil)
		require.ErrorIs(t, err, ErrFenced)
		require.ErrorAs(t, err, &f)
		for _, not := range []error{persist.ErrUnsettled, persist.ErrChanged, persist.ErrExists} {
			require.NotErrorIs(t, err, not)
		}
	}
	require.Nil(t, content(t, s, fresh))
	return f
}

func TestRebootFences(t *testing.T) {
	m := newMachine()
	before := open(t, m)
	key := uuid.NewString()
	put(t, before, persist.Create, key, nil, body(1, 700))
	after := open(t, booted(m, "2"))
	f := fenced(t, before, key, body(1, 700))
	require.Equal(t, hex64("2"), f.Recorded.BootID)
	require.Equal(t, hex64("1"), f.Ours.BootID)
	require.Equal(t, body(1, 700), content(t, before, key), "reading is free")
	put(t, after, persist.Replace, key, body(1, 700), body(2, 700))
	put(t, after, persist.Remove, key, body(2, 700), nil)
}

// A write of before the reboot that was held up in the network lands on nothing.
func TestRebootFencesWhatIsUnderWay(t *testing.T) {
	eachLife(t, func(t *testing.T, s *Store, n *network, a persist.Attempt, before []byte) {
		n.let(held)
		require.ErrorIs(t, a.Do(t.Context(), s, nil), persist.ErrUnsettled)
		after := open(t, booted(s.machine.ours, "2"))
		n.let(pass)
		require.Zero(t, n.land())
		require.Equal(t, before, content(t, after, a.Key))
		err := a.Settle(t.Context(), s, nil)
		require.ErrorIs(t, err, ErrFenced)
		require.Equal(t, before, content(t, after, a.Key))
	})
}

// Two processes of one boot share the record, also from two containers; neither fences the other.
func TestOneBootManyProcesses(t *testing.T) {
	m := newMachine()
	first, second := int64(4026531836), int64(4026532001)
	m.PIDNamespace = &first
	one, again := open(t, m), open(t, m)
	m.PIDNamespace = &second
	other := open(t, m)
	for i, s := range []*Store{one, again, other} {
		put(t, s, persist.Create, uuid.NewString(), nil, body(i, 700))
	}
	require.Equal(t, one.machine.record, other.machine.record)
}

// Of machines that register at the same moment one record remains, and whoever is not named by it cannot write.
func TestRegisteringAtOnce(t *testing.T) {
	m := newMachine()
	type opened struct {
		s   *Store
		err error
	}
	results := make(chan opened)
	for _, boot := range []string{"1", "2", "3", "1", "2", "3"} {
		go func() {
			s, err := Open(t.Context(), booted(m, boot), Endpoints(shared))
			results <- opened{s, err}
		}()
	}
	writable := map[string]bool{}
	var stores []*Store
	for range 6 {
		o := <-results
		require.NoError(t, o.err)
		defer o.s.Close()
		stores = append(stores, o.s)
	}
	for _, s := range stores {
		if err := attempt(persist.Create, uuid.NewString(), nil, nil).Do(t.Context(), s, nil); err == nil {
			writable[s.machine.ours.BootID] = true
		} else {
			require.ErrorIs(t, err, ErrFenced)
		}
	}
	require.Len(t, writable, 1)
}

func TestLostReplyWhileRegistering(t *testing.T) {
	for _, f := range []fate{deaf, dropped, held} {
		n := &network{t: t}
		m := newMachine()
		n.next(f)
		s := open(t, m, n.option())
		require.Equal(t, 1, n.losses())
		put(t, s, persist.Create, uuid.NewString(), nil, body(1, 700))
		require.Zero(t, n.land())
		put(t, s, persist.Create, uuid.NewString(), nil, body(1, 700))
	}
}

func TestUnreadableMachineRecord(t *testing.T) {
	m := newMachine()
	s := open(t, m)
	key := uuid.NewString()
	put(t, s, persist.Create, key, nil, body(1, 700))
	other := newMachine()
	for _, bad := range []string{"", "{}", string(other.AppendCanonical(nil))} {
		_, err := raw(t, shared).Put(t.Context(), machineKey(m.MachineID), bad)
		require.NoError(t, err)
		require.Nil(t, fenced(t, s, key, body(1, 700)).Recorded)
		_, err = Open(t.Context(), m, Endpoints(shared))
		require.ErrorIs(t, err, ErrFenced, "a record that nobody can read is not overwritten")
	}
}

func TestNoMachine(t *testing.T) {
	var bad *leasefile.DecodeError
	for _, m := range []leasefile.MachineV1{{}, {MachineID: uuid.NewString()}, {MachineID: "../x", BootID: hex64("1")}} {
		_, err := Open(t.Context(), m, Endpoints(shared))
		require.True(t, errors.As(err, &bad), "%v", err)
	}
	_, err := Open(t.Context(), newMachine())
	require.Error(t, err, "no endpoints")
}

func TestReadOnly(t *testing.T) {
	m := newMachine()
	s := open(t, m, ReadOnly())
	_, err := s.Stage(t.Context(), uuid.NewString(), nil)
	require.ErrorIs(t, err, ErrReadOnly)
	_, err = s.Remove(t.Context(), uuid.NewString(), persist.Digest{})
	require.ErrorIs(t, err, ErrReadOnly)
	for range s.List(t.Context()) {
		require.Fail(t, "there is nothing")
	}
	found, err := raw(t, shared).Get(t.Context(), machineKey(m.MachineID))
	require.NoError(t, err)
	require.Empty(t, found.Kvs, "looking registers nothing")
}

func TestRetire(t *testing.T) {
	m := newMachine()
	s, neighbour := open(t, m), open(t, newMachine())
	key, kept := uuid.NewString(), uuid.NewString()
	put(t, s, persist.Create, key, nil, body(1, 700))
	put(t, s, persist.Create, uuid.NewString(), nil, body(1, 700))
	put(t, neighbour, persist.Create, kept, nil, body(1, 700))
	_, err := Retire(t.Context(), m.MachineID, persist.DigestOf([]byte("another")), Endpoints(shared))
	require.ErrorIs(t, err, ErrNoMachine)
	require.NotNil(t, content(t, s, key))

	record := persist.DigestOf(m.AppendCanonical(nil))
	n, err := Retire(t.Context(), m.MachineID, record, Endpoints(shared))
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Nil(t, content(t, s, key))
	require.NotNil(t, content(t, neighbour, kept))
	_, err = Retire(t.Context(), m.MachineID, record, Endpoints(shared))
	require.ErrorIs(t, err, ErrNoMachine)
	err = attempt(persist.Create, uuid.NewString(), nil, nil).Do(t.Context(), s, nil)
	var f *FencedError
	require.ErrorAs(t, err, &f)
	require.Nil(t, f.Recorded)
}
