package etcd

import (
	"context"
	"testing"

	"containlease/gen/leasefile"
	"containlease/persist"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// lay puts a lease of m, in status.
func lay(t testing.TB, s *Store, m leasefile.MachineV1, status leasefile.ContainmentStatus) leasefile.LeaseV2 {
	t.Helper()
	l := sample(m, status)
	put(t, s, persist.Create, l.LeaseID, nil, l.AppendCanonical(nil))
	return l
}

// on is an own server, for what looks at the whole fleet.
func on(t *testing.T) Option { return Endpoints(server(t, func(*embed.Config) {})) }

func TestStandings(t *testing.T) {
	alone := on(t)
	only := func(o *options) { o.endpoints = nil; alone(o) }
	m := newMachine()
	s := open(t, m, only)
	want := map[string]Standing{}
	for status, standing := range map[leasefile.ContainmentStatus]Standing{
		leasefile.ContainmentStatusParentOwned: BootOver, leasefile.ContainmentStatusHostActive: BootOver,
		leasefile.ContainmentStatusCleanupUnsafe: BootOver, leasefile.ContainmentStatusCleanupComplete: Complete,
	} {
		want[lay(t, s, m, status).LeaseID] = standing
	}
	m = booted(m, "2")
	s = open(t, m, only)
	want[lay(t, s, m, leasefile.ContainmentStatusHostActive).LeaseID] = Uncontained
	want[lay(t, s, m, leasefile.ContainmentStatusCleanupUnsafe).LeaseID] = Unsafe
	broken := sample(m, "").LeaseID
	put(t, s, persist.Create, broken, nil, []byte("{}\n"))
	want[broken] = Unreadable
	lost := newMachine()
	orphan := lay(t, open(t, lost, only), lost, leasefile.ContainmentStatusHostActive)
	want[orphan.LeaseID] = NoMachine
	_, err := raw(t, s.endpoints[0]).Delete(t.Context(), machineKey(lost.MachineID))
	require.NoError(t, err)
	_, err = raw(t, s.endpoints[0]).Put(t.Context(), root+"nobody", "x")
	require.NoError(t, err)

	foreign, machines, as := 0, 0, int64(0)
	for r, err := range openFleet(t, only, PageSize(3)).List(t.Context()) {
		require.NoError(t, err)
		require.True(t, as == 0 || as == r.As, "one revision")
		as = r.As
		switch {
		case r.MachineID == "":
			foreign++
			require.Error(t, r.Err)
		case r.Key == "":
			machines++
			require.Equal(t, m, *r.Machine)
			require.Equal(t, persist.DigestOf(m.AppendCanonical(nil)), r.Digest)
		default:
			require.Equal(t, want[r.Key], r.Standing, r.Key)
			require.Equal(t, r.Standing != Complete, r.Standing.Lasting())
			if r.Standing == BootOver {
				require.Greater(t, r.MachineRevision, r.Revision, "its boot moved on after it was written")
			}
			delete(want, r.Key)
		}
	}
	require.Empty(t, want)
	require.Equal(t, []int{1, 1}, []int{foreign, machines})
}

// watching collects what a watch yields, one at a time.
func watching(t *testing.T, f *Fleet, after int64) (next func() Change) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	changes := make(chan Change)
	ended := make(chan error, 1)
	go func() {
		defer close(changes)
		for c, err := range f.Watch(ctx, after) {
			if err != nil {
				ended <- err
				return
			}
			changes <- c
		}
	}()
	t.Cleanup(func() {
		cancel()
		for range changes {
		}
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	return func() Change { return <-changes }
}

func TestWatch(t *testing.T) {
	alone := on(t)
	only := func(o *options) { o.endpoints = nil; alone(o) }
	f := openFleet(t, only)
	next := watching(t, f, 0)
	require.Equal(t, Relisted, next().Kind, "an empty fleet is a listing too")

	m := newMachine()
	n := &network{t: t}
	s := open(t, m, only, n.option())
	c := next()
	require.Equal(t, Written, c.Kind)
	require.Equal(t, m, *c.Machine)
	l := lay(t, s, m, leasefile.ContainmentStatusHostActive)
	c = next()
	require.Equal(t, []any{Written, l.LeaseID, Uncontained, l.AppendCanonical(nil)}, []any{c.Kind, c.Key, c.Standing, c.Content})
	mark := c.As

	n.next(dropped) // makes the store renew the machine's record, which is no change
	another := lay(t, s, m, leasefile.ContainmentStatusCleanupComplete)
	c = next()
	require.Equal(t, []any{Written, another.LeaseID, Complete}, []any{c.Kind, c.Key, c.Standing})
	put(t, s, persist.Remove, another.LeaseID, another.AppendCanonical(nil), nil)
	c = next()
	require.Equal(t, []any{Gone, another.LeaseID, another.AppendCanonical(nil)}, []any{c.Kind, c.Key, c.Content})
	open(t, booted(m, "2"), only)
	c = next()
	require.Equal(t, []any{Written, "", hex64("2")}, []any{c.Kind, c.Key, c.Machine.BootID})

	// From a revision: what happened since, in order; the machine's record is asked for.
	resumed := watching(t, f, mark)
	c = resumed()
	require.Equal(t, []any{Written, another.LeaseID, Complete}, []any{c.Kind, c.Key, c.Standing})
	require.NotNil(t, c.Machine)
	require.Equal(t, Gone, resumed().Kind)

	// From a revision that is compacted away: everything anew.
	client := raw(t, s.endpoints[0])
	_, err := client.Compact(t.Context(), c.As+2)
	require.NoError(t, err)
	relisted := watching(t, f, mark)
	require.Equal(t, Relisted, relisted().Kind)
	c = relisted()
	require.Equal(t, []any{Present, "", hex64("2")}, []any{c.Kind, c.Key, c.Machine.BootID})
	c = relisted()
	require.Equal(t, []any{Present, l.LeaseID, BootOver}, []any{c.Kind, c.Key, c.Standing})
	_, err = client.Delete(t.Context(), machineKey(m.MachineID))
	require.NoError(t, err)
	c = relisted()
	require.Equal(t, []any{Gone, "", m.MachineID}, []any{c.Kind, c.Key, c.MachineID})
}
