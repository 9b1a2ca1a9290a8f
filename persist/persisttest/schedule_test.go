//go:build linux || darwin || freebsd

package persisttest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"
	"containlease/persist/persisttest"

	"github.com/stretchr/testify/require"
)

// TestSchedules drives one record through random faults, by the outcome table, and holds what is known against the disk after every
// step. Seeds are fixed: schedule n is the same everywhere.
func TestSchedules(t *testing.T) {
	var settled, late, frozen atomic.Int64
	schedules := map[bool]int{false: 100_000, true: 2_000}[raceDetector || testing.Short()]
	inParallel(schedules, func(seed uint64) bool {
		s := newSchedule(seed)
		for range 10 {
			s.step()
		}
		s.finish()
		settled.Add(s.settled)
		late.Add(s.late)
		frozen.Add(s.frozen)
		if s.err != nil {
			t.Errorf("seed %d: %v\n%v", seed, s.err, s.log)
		}
		return s.err == nil
	})
	t.Logf("%d schedules: %d writes froze, %d landed late, %d settled", schedules, frozen.Load(), late.Load(), settled.Load())
	require.NotZero(t, late.Load())
}

// inParallel runs do for every seed, until one fails.
func inParallel(n int, do func(seed uint64) bool) {
	var next atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seed := next.Add(1) - 1; seed < uint64(n); seed = next.Add(1) - 1 {
				if !do(seed) {
					next.Store(uint64(n))
				}
			}
		})
	}
	all.Wait()
}

// schedule is the owner of one record and what it knows.
type schedule struct {
	rng   *rand.Rand
	d     *memory.Disk
	store *file.Store
	f     *persisttest.Faulty
	log   []string
	err   error

	version               int
	memory                []byte           // the content known; nil: none
	removed               bool             // its life is over
	open                  *persist.Attempt // frozen, or in doubt
	inDoubt               bool             // open is visible, and not proved durable
	settled, late, frozen int64
}

func newSchedule(seed uint64) *schedule {
	s := &schedule{rng: rand.New(rand.NewPCG(seed, 4)), d: memory.NewDisk()}
	h, err := file.Create("/home", file.On(s.d.Process()))
	if err != nil {
		return &schedule{err: err}
	}
	s.store = h.Store()
	s.f = persisttest.NewFaulty(s.store)
	return s
}

func (s *schedule) failed(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

func (s *schedule) step() {
	switch {
	case s.err != nil:
		return
	case s.rng.IntN(6) == 0:
		s.late += int64(s.f.Late())
		s.f.Deliver()
		s.log = append(s.log, "deliver")
	case s.open != nil:
		s.f.Blind(s.rng.IntN(4) == 0)
		s.send(s.open.Settle, 2, false)
		s.f.Blind(false)
	case !s.removed:
		a := s.write()
		s.open = &a
		s.send(a.Do, 1, true)
	}
	s.check()
}

// write is the next one in the life of a record: created, replaced, removed, never again created.
func (s *schedule) write() persist.Attempt {
	s.version++
	a := persist.Attempt{Key: persisttest.Key(1), Op: persist.Replace, Old: persist.DigestOf(s.memory), Next: fmt.Appendf(nil, "version %d\n", s.version)}
	switch {
	case s.memory == nil:
		a.Op = persist.Create
	case s.rng.IntN(6) == 0:
		a.Op, a.Next = persist.Remove, nil
	}
	return a
}

type sending = func(context.Context, persist.Store, persist.Publish) error

// send makes a write with up to n faults, and learns from its answer.
func (s *schedule) send(do sending, n int, first bool) {
	var faults []persisttest.Fault
	for range n {
		faults = append(faults, persisttest.Faults[s.rng.IntN(len(persisttest.Faults))])
	}
	s.f.Next(faults...)
	err := s.patiently(do, s.rng.IntN(2) == 0)
	s.f.Next()
	s.log = append(s.log, fmt.Sprintf("%d %q %v: %v", s.open.Op, s.open.Next, faults, err))
	s.learn(err, first)
}

// patiently lets slow writes go on, or gives them up.
func (s *schedule) patiently(do sending, resume bool) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	var helper sync.WaitGroup
	helper.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-s.f.Waiting():
				if resume {
					s.f.Resume()
				} else {
					cancel()
				}
			}
		}
	})
	defer helper.Wait()
	defer close(done)
	return do(ctx, s.f, nil)
}

// learn is the outcome table. Nobody else writes here, so nothing may be refused.
func (s *schedule) learn(err error, first bool) {
	switch {
	case err == nil || errors.Is(err, persist.ErrNotDurable):
		s.inDoubt = err != nil
		if s.memory = s.open.Next; s.open.Op == persist.Remove {
			s.memory, s.removed = nil, true
		}
		if err == nil {
			s.open = nil
			s.settled++
		}
	case errors.Is(err, persist.ErrUnsettled):
		s.frozen++
	case errors.Is(err, persist.ErrExists), errors.Is(err, persist.ErrChanged):
		s.failed("refused, and nobody else wrote: %w", err)
	case !first:
		s.failed("settling is not definite and not unsettled: %w", err)
	default:
		s.open = nil
	}
}

// check: memory is not ahead of the disk, and where they differ a write is open.
func (s *schedule) check() {
	e, err := s.store.Read(context.Background(), persisttest.Key(1))
	if err != nil && !errors.Is(err, persist.ErrNotExist) {
		s.failed("reading: %w", err)
	}
	ahead := s.open != nil && !s.inDoubt && string(e.Content) == string(s.open.Next)
	if string(e.Content) != string(s.memory) && !ahead {
		s.failed("memory says %q, the disk %q, open is %v", s.memory, e.Content, s.open)
	}
	var order []persist.Digest
	for _, d := range s.f.Published(persisttest.Key(1)) {
		if len(order) > 0 && order[len(order)-1] == d {
			continue // the same bytes once more, over themselves
		}
		if slices.Contains(order, d) {
			s.failed("%s was applied twice", d)
		}
		order = append(order, d)
	}
}

// finish ends the faults: one settling makes everything definite, and it stays so whatever arrives and whatever crashes.
func (s *schedule) finish() {
	if s.err == nil && s.open != nil {
		if s.rng.IntN(2) == 0 {
			s.f.Deliver()
		}
		s.learn(s.open.Settle(context.Background(), s.f, nil), false)
		if s.open != nil {
			s.failed("still not definite")
		}
	}
	if s.err != nil {
		return
	}
	s.f.Deliver()
	s.check()
	if s.rng.IntN(10) == 0 {
		for after := range s.d.Crashes() {
			h, err := file.Create("/home", file.On(after.Process()))
			if err != nil {
				s.failed("after a power loss: %w", err)
				return
			}
			s.store = h.Store()
			s.check()
		}
	}
}
