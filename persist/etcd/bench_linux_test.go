package etcd

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// The figures of BENCHMARKS.md: etcd as one member in a process of its own, beside the file store in the same run.

// clients is how many stores there are, each with a connection of its own.
const clients = 64

func benchServer(b *testing.B) Option {
	endpoints := newCluster(b, "a").endpoints()
	return func(o *options) { o.endpoints = endpoints }
}

// BenchmarkCycle is one invocation's leases from acquire to release: five writes and what acquire reads.
func BenchmarkCycle(b *testing.B) {
	b.Run("etcd", func(b *testing.B) { cycle(b, settleIn(b, newHome(b), nil, benchServer(b)).Registry) })
	b.Run("file", func(b *testing.B) {
		reg, err := lease.Open(b.Context(), filepath.Join(b.TempDir(), "home"))
		require.NoError(b, err)
		defer reg.Close()
		cycle(b, reg)
	})
}

func cycle(b *testing.B, reg *lease.Registry) {
	host := child(b)
	for b.Loop() {
		h, err := reg.Acquire(b.Context(), identity("demo"), "")
		require.NoError(b, err)
		for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
			require.NoError(b, h.Event(b.Context(), ev, host))
		}
		require.NoError(b, h.Event(b.Context(), fsm.CleanupComplete))
		require.NoError(b, h.Release(b.Context()))
	}
}

// BenchmarkCAS64 is replaces of 64 clients at once, each of its own record; an op is one replace of anybody.
func BenchmarkCAS64(b *testing.B) {
	b.Run("etcd", func(b *testing.B) {
		server, m := benchServer(b), newMachine()
		var stores []persist.Store
		for range clients {
			stores = append(stores, open(b, m, server))
		}
		replaces(b, stores)
	})
	b.Run("file", func(b *testing.B) {
		var stores []persist.Store
		for range clients {
			stores = append(stores, newHome(b).Store())
		}
		replaces(b, stores)
	})
}

func replaces(b *testing.B, stores []persist.Store) {
	contents := [2][]byte{body(1, 1100), body(2, 1100)}
	keys := make([]string, len(stores))
	for i, s := range stores {
		keys[i] = uuid.NewString()
		put(b, s, persist.Create, keys[i], nil, contents[0])
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	for i, s := range stores {
		all.Go(func() {
			for n := 0; left.Add(-1) >= 0; n++ {
				if err := attempt(persist.Replace, keys[i], contents[n%2], contents[(n+1)%2]).Do(context.Background(), s, nil); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "CAS/s")
}

// BenchmarkList100k lists 100,000 leases; B/op is what the client allocates. Filling takes far longer.
func BenchmarkList100k(b *testing.B) {
	const leases = 100_000
	b.Run("etcd", func(b *testing.B) {
		m := newMachine()
		s, err := Open(b.Context(), m, benchServer(b))
		require.NoError(b, err)
		empty := inUse(b, s)
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				for range leases / 100 {
					l := sample(m, leasefile.ContainmentStatusHostActive)
					if err := attempt(persist.Create, l.LeaseID, nil, l.AppendCanonical(nil)).Do(context.Background(), s, nil); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		size := inUse(b, s) - empty
		reader := open(b, m, ReadOnly(), func(o *options) { o.endpoints = s.endpoints }) // it has written nothing, and so remembers nothing
		require.NoError(b, s.Close())
		runtime.GC()
		b.Run("pages", func(b *testing.B) {
			listAll(b, reader, leases)
			b.ReportMetric(leases/float64(reader.page), "pages")
			b.ReportMetric(float64(size)/leases, "db-B/lease")
		})
	})
	b.Run("file", func(b *testing.B) {
		home := newHome(b)
		for range leases {
			l := sample(newMachine(), leasefile.ContainmentStatusHostActive)
			require.NoError(b, os.WriteFile(filepath.Join(home.Dir(), "leases", l.LeaseID+".json"), l.AppendCanonical(nil), 0o600))
		}
		b.Run("one by one", func(b *testing.B) { listAll(b, home.Store(), leases) })
	})
}

func listAll(b *testing.B, s persist.Store, want int) {
	b.ReportAllocs()
	peak := uint64(0)
	for b.Loop() {
		n := 0
		for e, err := range s.List(b.Context()) {
			if err != nil || e.Err != nil {
				b.Fatal(err, e.Err)
			}
			if n++; n%5000 == 0 {
				var mem runtime.MemStats
				runtime.ReadMemStats(&mem)
				peak = max(peak, mem.HeapInuse)
			}
		}
		require.Equal(b, want, n)
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
}

func inUse(b *testing.B, s *Store) int64 {
	status, err := s.client.Status(b.Context(), s.endpoints[0])
	require.NoError(b, err)
	return status.DbSizeInUse
}

// BenchmarkWatchLatency is from before a write to its change in another client's hands.
func BenchmarkWatchLatency(b *testing.B) {
	server, m := benchServer(b), newMachine()
	s, f := open(b, m, server), openFleet(b, server)
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	changes := make(chan Change)
	go func() {
		defer close(changes)
		for c, err := range f.Watch(ctx, 0) {
			if err != nil {
				return
			}
			changes <- c
		}
	}()
	for c := range changes {
		if c.Kind == Present {
			break
		}
	}
	key, before := uuid.NewString(), body(0, 1100)
	put(b, s, persist.Create, key, nil, before)
	<-changes
	for n := 1; b.Loop(); n++ {
		next := body(n, 1100)
		put(b, s, persist.Replace, key, before, next)
		require.Equal(b, key, (<-changes).Key)
		before = next
	}
	cancel()
	for range changes {
	}
}

// BenchmarkSize reports how long the leases are that etcd holds.
func BenchmarkSize(b *testing.B) {
	m := newMachine()
	for b.Loop() {
		l := sample(m, leasefile.ContainmentStatusHostActive)
		b.ReportMetric(float64(len(l.AppendCanonical(nil))), "bytes")
	}
}
