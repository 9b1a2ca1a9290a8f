package etcd

import (
	"context"
	"strings"
	"sync"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// named is the store with a way to name its keys without their content, which it deliberately has not: see BenchmarkBeside10k.
type named struct{ *Store }

func (s named) Keys(ctx context.Context) (keys []string, err error) {
	end := clientv3.GetPrefixRangeEnd(s.prefix)
	for from := s.prefix; from != ""; {
		found, err := s.client.Get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(s.page), clientv3.WithKeysOnly())
		if err != nil {
			return nil, err
		}
		from = ""
		for _, kv := range found.Kvs {
			keys = append(keys, strings.TrimPrefix(string(kv.Key), s.prefix))
		}
		if found.More {
			from = string(found.Kvs[len(found.Kvs)-1].Key) + "\x00"
		}
	}
	return keys, nil
}

// BenchmarkBeside10k is one acquire beside 10,000 leases of other plugins, as the store is (listed) and as it would be with
// persist.Lister (named): the first of a process, as every `containlease run` is, and a later one.
func BenchmarkBeside10k(b *testing.B) {
	const leases = 10_000
	m := settleIn(b, newHome(b), nil, benchServer(b))
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			for range leases / 50 {
				l := sample(m.store.machineOrNone(), leasefile.ContainmentStatusHostActive)
				if err := attempt(persist.Create, l.LeaseID, nil, l.AppendCanonical(nil)).Do(context.Background(), m.store, nil); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	for name, s := range map[string]persist.Store{"listed": m.store, "named": named{m.store}} {
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				reg, err := lease.New(s, reopen(b, m.home))
				require.NoError(b, err)
				b.StartTimer()
				beside(b, reg)
				b.StopTimer()
				require.NoError(b, reg.Close())
				b.StartTimer()
			}
		})
		b.Run(name+"/warm", func(b *testing.B) {
			reg, err := lease.New(s, reopen(b, m.home))
			require.NoError(b, err)
			defer reg.Close()
			beside(b, reg)
			for b.Loop() {
				beside(b, reg)
			}
		})
	}
}

// beside acquires and releases; the three writes are small beside the reading.
func beside(b *testing.B, reg *lease.Registry) {
	h, err := reg.Acquire(b.Context(), identity("acquirer"), "")
	require.NoError(b, err)
	require.NoError(b, h.Event(b.Context(), fsm.CleanupComplete))
	require.NoError(b, h.Release(b.Context()))
}
