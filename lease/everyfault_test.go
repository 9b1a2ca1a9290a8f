//go:build linux || darwin || freebsd

package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"
	"containlease/persist/persisttest"

	"github.com/stretchr/testify/require"
)

// TestEveryFault drives whole leases, acquire included, through random faults of the store, on a disk in memory: memory is
// never ahead of the disk (I3), they agree or the handle is frozen (I6), nothing acknowledged is lost, and when the faults
// stop one Resync makes everything definite. Seeds are fixed. Home and locks are healthy throughout.
func TestEveryFault(t *testing.T) {
	schedules := map[bool]int{false: 100_000, true: 1_000}[raceDetector || testing.Short()]
	var next atomic.Uint64
	var ends [len(simStates)]atomic.Int64
	var froze atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seed := next.Add(1) - 1; seed < uint64(schedules); seed = next.Add(1) - 1 {
				r, err := newRide(seed)
				if err == nil {
					err = r.whole()
				}
				if err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, strings.Join(r.log, "\n"))
					next.Store(uint64(schedules))
					return
				}
				froze.Add(r.froze)
				ends[r.end].Add(1)
			}
		})
	}
	all.Wait()
	for i := range ends {
		t.Logf("%-18s %d", simStates[i], ends[i].Load())
		require.NotZero(t, ends[i].Load(), "no schedule ended %s", simStates[i])
	}
	t.Logf("%d schedules, frozen %d times", schedules, froze.Load())
}

var simStates = [...]fsm.State{fsm.StateAbsent, fsm.StateParentOwned, fsm.StateHostStarting, fsm.StateHostActive,
	fsm.StateCleanupComplete, fsm.StateCleanupUnsafe, fsm.StateReleased}

// simulated is a machine on which only the owner lives.
type simulated struct{ boot string }

func (m simulated) identity(pid int64) process.Identity {
	return process.Identity{PID: pid, BootID: process.Digest("boot", m.boot), StartID: process.Digest("start", fmt.Sprint(m.boot, pid))}
}
func (m simulated) Self() (process.Process, error) {
	return process.Process{Identity: m.identity(100)}, nil
}
func (m simulated) Lookup(int64) (process.Process, error) {
	return process.Process{}, process.ErrNotFound
}
func (m simulated) Boot() (string, error)    { return process.Digest("boot", m.boot), nil }
func (simulated) Look(string) process.Census { return process.Census{} }
func (simulated) Clock() uint64              { return 0 }
func (simulated) Hold(process.Identity, uint64) (*process.Pidfd, error) {
	return nil, process.ErrNotFound
}
func (simulated) NamespaceEnded(uint64, uint64) bool { return false }
func (m simulated) Namespaces() (process.Namespaces, error) {
	return process.Namespaces{PID: 1, Time: 2, Cgroup: 3}, nil
}
func (m simulated) Status(id process.Identity, _ uint64) (process.Status, string) {
	if id == m.identity(100) {
		return process.Live, "it is the caller"
	}
	return process.Dead, "nobody else lives here"
}

var simSum = strings.Repeat("ab", 32)

var simPlugin = leasefile.OperationIdentity{
	AdapterID: "acme", BundleSHA256: simSum, ContractVersion: 1, DescriptorSHA256: simSum, ManifestSHA256: simSum,
	Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme-web",
	Transport: leasefile.TransportProviderAPI,
}

// ride is one lease under faults.
type ride struct {
	rng   *rand.Rand
	store persist.Store // the disk itself
	f     *persisttest.Faulty
	h     *lease.Handle
	log   []string
	froze int64
	doubt bool // something visible was not proved durable, and nothing was since
	end   int
}

func newRide(seed uint64) (*ride, error) {
	r := &ride{rng: rand.New(rand.NewPCG(seed, 5))}
	home, err := file.Create("/home", file.On(memory.NewDisk().Process()))
	if err != nil {
		return r, err
	}
	r.store, r.f = home.Store(), persisttest.NewFaulty(home.Store())
	reg, err := lease.New(r.f, home, lease.WithInspector(simulated{"now"}))
	if err != nil {
		return r, err
	}
	err = r.faulty(1, func(ctx context.Context) (err error) { r.h, err = reg.Acquire(ctx, simPlugin, ""); return err })
	r.note("acquire", err)
	r.learn(err)
	if (r.h == nil) != (err != nil && !errors.Is(err, lease.ErrUnsettled)) {
		return r, fmt.Errorf("a handle does not go with %w", err)
	}
	return r, nil
}

func (r *ride) whole() error {
	if r.h == nil { // refused: then nothing may be there
		for e, err := range r.store.List(context.Background()) {
			return fmt.Errorf("acquire failed and left %q: %w", e.Key, err)
		}
		return nil
	}
	for range 12 {
		if err := r.step(); err != nil {
			return err
		}
	}
	return r.finish()
}

func (r *ride) step() error {
	switch r.rng.IntN(8) {
	case 0:
		r.f.Deliver()
		r.note("deliver", nil)
	case 1, 2:
		r.f.Blind(r.rng.IntN(4) == 0)
		before := r.h.Snapshot()
		err := r.faulty(2, r.h.Resync)
		r.f.Blind(false)
		r.note("resync", err)
		if before.Frozen || !before.Durable {
			r.learn(err)
		}
	default:
		if err := r.event(fsm.Events[r.rng.IntN(len(fsm.Events))]); err != nil {
			return err
		}
	}
	return r.check()
}

// event fires one, and holds the answer against the table: moved and acknowledged are the same.
func (r *ride) event(ev fsm.Event) error {
	var args []any
	if ev == fsm.HostStarting || ev == fsm.HostStarted {
		args = append(args, lease.HostOf(simulated{"now"}.identity(200)))
	}
	from := r.h.Snapshot()
	err := r.faulty(1, func(ctx context.Context) error { return r.h.Event(ctx, ev, args...) })
	r.note(ev, err)
	row, arrow := fsm.Find(from.State, ev)
	to, acknowledged := r.h.State(), err == nil || errors.Is(err, lease.ErrNotDurable)
	again := ev == fsm.Release && from.State == fsm.StateReleased
	switch {
	case arrow && !from.Frozen && acknowledged != (to == row.To):
		return fmt.Errorf("%s in %s leads to %s and says %w", ev, from.State, to, err)
	case !arrow && to != from.State, from.Frozen && to != from.State:
		return fmt.Errorf("%s moved %s to %s", ev, from.State, to)
	}
	if arrow && !from.Frozen || again {
		r.learn(err)
	}
	return nil
}

// learn keeps whether what is visible was proved durable.
func (r *ride) learn(err error) {
	switch {
	case err == nil:
		r.doubt = false
	case errors.Is(err, lease.ErrNotDurable):
		r.doubt = true
	case errors.Is(err, lease.ErrUnsettled):
		r.froze++
	}
}

// check is I3 and I6.
func (r *ride) check() error {
	snap := r.h.Snapshot()
	disk, err := r.disk()
	if err != nil {
		return err
	}
	ahead := false
	for _, row := range fsm.Table {
		ahead = ahead || row.From == snap.State && row.To == disk
	}
	switch {
	case snap.Err != nil:
		return fmt.Errorf("nobody else touched the lease: %w", snap.Err)
	case disk == snap.State && !snap.Frozen && snap.Durable == r.doubt:
		return fmt.Errorf("%s is called durable: %t", disk, snap.Durable)
	case disk == snap.State, snap.Frozen && ahead:
		return nil
	}
	return fmt.Errorf("memory says %s, the disk %s, frozen: %t", snap.State, disk, snap.Frozen)
}

// disk is where the lease stands by its bytes. Without a file it is absent before it was created, and released afterwards.
func (r *ride) disk() (fsm.State, error) {
	e, err := r.store.Read(context.Background(), r.h.ID())
	switch {
	case errors.Is(err, persist.ErrNotExist) && r.h.State() == fsm.StateAbsent:
		return fsm.StateAbsent, nil
	case errors.Is(err, persist.ErrNotExist):
		return fsm.StateReleased, nil
	case err != nil:
		return "", err
	}
	l, err := leasefile.DecodeFileNamed(r.h.ID()+".json", e.Content)
	if err != nil {
		return "", err
	}
	return fsm.State(l.(*leasefile.LeaseV2).Containment.Status), nil
}

// faulty runs do with up to n faults. A slow write goes on, or its context ends.
func (r *ride) faulty(n int, do func(context.Context) error) error {
	var faults []persisttest.Fault
	for range n {
		faults = append(faults, persisttest.Faults[r.rng.IntN(len(persisttest.Faults))])
	}
	r.log = append(r.log, fmt.Sprint(faults))
	r.f.Next(faults...)
	defer r.f.Next()
	done := make(chan struct{})
	var helper sync.WaitGroup
	helper.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-r.f.Waiting():
				r.f.Resume()
			}
		}
	})
	defer helper.Wait()
	defer close(done)
	return do(context.Background())
}

func (r *ride) note(what any, err error) { r.log = append(r.log, fmt.Sprintf("%v: %v", what, err)) }

// finish ends the faults.
func (r *ride) finish() error {
	if r.rng.IntN(2) == 0 {
		r.f.Deliver()
	}
	if s := r.h.Snapshot(); s.State != fsm.StateReleased || !s.Durable {
		if err := r.h.Resync(context.Background()); err != nil && !errors.Is(err, lease.ErrClosed) {
			return fmt.Errorf("the faults have stopped: %w", err)
		}
	}
	r.doubt = false
	r.f.Deliver()
	if s := r.h.Snapshot(); s.Frozen || !s.Durable {
		return fmt.Errorf("not definite: frozen %t, durable %t", s.Frozen, s.Durable)
	}
	for i, s := range simStates {
		if s == r.h.State() {
			r.end = i
		}
	}
	return r.check()
}
