package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"containlease/persist"
	"containlease/persist/persisttest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// TestSchedules leads records through random faults of two kinds at once: a store that goes wrong (persisttest.Faulty) on a network
// that does. What is known is held against etcd after every step, and all of it against etcd's own history.
func TestSchedules(t *testing.T) {
	const schedules, workers = 60, 12
	endpoint := server(t, func(*embed.Config) {})
	var sum tally
	var all sync.WaitGroup
	var next atomic.Uint64
	for range workers {
		n := &network{t: t}
		s := open(t, newMachine(), func(o *options) { o.endpoints = []string{endpoint} }, n.option())
		all.Go(func() {
			for seed := next.Add(1) - 1; seed < schedules && !t.Failed(); seed = next.Add(1) - 1 {
				x := &schedule{rng: rand.New(rand.NewPCG(seed, 7)), n: n, s: s, f: persisttest.NewFaulty(s), key: uuid.NewString(), sum: &sum}
				for range 10 {
					x.step()
				}
				x.finish()
				if x.err != nil {
					t.Errorf("seed %d: %v\n%v", seed, x.err, x.log)
				}
			}
		})
	}
	all.Wait()
	require.False(t, t.Failed())
	found := readHistory(t, raw(t, endpoint))
	require.Equal(t, []int{0, 0, 0}, []int{found.duplicated, found.risen, found.broken})
	require.Zero(t, found.missing(sum.confirmed))
	t.Logf("%d schedules: %d writes settled, %d answers unsettled, %d copies landed late and %d were void; %d revisions", schedules,
		len(sum.confirmed), sum.unsettled, sum.late, sum.void, found.events)
	require.NotZero(t, sum.late)
	require.NotZero(t, sum.void)
	require.NotZero(t, sum.unsettled)
}

// tally is what all schedules have seen.
type tally struct {
	mu                    sync.Mutex
	confirmed             []link
	unsettled, late, void int
}

// schedule is the owner of one record and what it knows.
type schedule struct {
	rng *rand.Rand
	n   *network
	s   *Store
	f   *persisttest.Faulty
	key string
	sum *tally
	log []string
	err error

	version int
	memory  string           // the content known; "": none
	removed bool             // its life is over
	open    *persist.Attempt // frozen, or in doubt
	inDoubt bool             // open is visible, and not proved durable
}

func (x *schedule) failed(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}

func (x *schedule) step() {
	switch {
	case x.err != nil:
		return
	case x.rng.IntN(6) == 0:
		x.deliver()
	case x.open != nil:
		x.send(x.open.Settle, false)
	case !x.removed:
		a := x.write()
		x.open = &a
		x.send(a.Do, true)
	}
	x.check()
}

// deliver lets everything arrive that is on its way.
func (x *schedule) deliver() {
	x.f.Deliver()
	x.n.mu.Lock()
	held := len(x.n.late)
	x.n.mu.Unlock()
	landed := x.n.land()
	x.log = append(x.log, fmt.Sprintf("deliver: %d of %d landed", landed, held))
	x.sum.mu.Lock()
	defer x.sum.mu.Unlock()
	x.sum.late += landed
	x.sum.void += held - landed
}

// write is the next one in the life of a record: created, replaced, removed, never again created.
func (x *schedule) write() persist.Attempt {
	x.version++
	next := []byte(successor(x.key, x.memory, x.version))
	switch {
	case x.memory == "":
		return attempt(persist.Create, x.key, nil, next)
	case x.rng.IntN(6) == 0:
		return attempt(persist.Remove, x.key, []byte(x.memory), nil)
	}
	return attempt(persist.Replace, x.key, []byte(x.memory), next)
}

// send makes a write: half of the time on a good network, and half of the time by a good store.
func (x *schedule) send(do func(context.Context, persist.Store, persist.Publish) error, first bool) {
	fate, lasting := fate(x.rng.IntN(2*fates)), x.rng.IntN(3) == 0
	if fate >= fates {
		fate = pass
	}
	var fault persisttest.Fault
	if x.rng.IntN(2) == 0 {
		fault = persisttest.Faults[x.rng.IntN(len(persisttest.Faults)-1)] // Slow is last, and would wait for us
	}
	x.n.set(fate, !lasting)
	x.s.deadline = 30 * time.Second
	if lasting && fate != pass {
		x.s.deadline = 50 * time.Millisecond // waiting would not help
	}
	x.f.Next(fault)
	err := do(context.Background(), x.f, nil)
	x.f.Next()
	x.n.let(pass)
	x.s.deadline = 30 * time.Second
	x.log = append(x.log, fmt.Sprintf("%d version %d, network %d (lasting %v), store %v: %v", x.open.Op, x.version, fate, lasting, fault, err))
	x.learn(err, first)
}

// learn is the outcome table. Nobody else writes here, so nothing may be refused.
func (x *schedule) learn(err error, first bool) {
	switch {
	case err == nil || errors.Is(err, persist.ErrNotDurable):
		x.inDoubt, x.memory, x.removed = err != nil, string(x.open.Next), x.open.Op == persist.Remove
		if err == nil {
			x.confirm()
			x.open = nil
		}
	case errors.Is(err, persist.ErrUnsettled):
		x.sum.mu.Lock()
		x.sum.unsettled++
		x.sum.mu.Unlock()
	case errors.Is(err, persist.ErrExists), errors.Is(err, persist.ErrChanged):
		x.failed("refused, and nobody else wrote: %w", err)
	case !first:
		x.failed("settling is not definite and not unsettled: %w", err)
	default:
		x.open = nil
	}
}

func (x *schedule) confirm() {
	x.sum.mu.Lock()
	defer x.sum.mu.Unlock()
	x.sum.confirmed = append(x.sum.confirmed, link{x.key, x.memory})
}

// check: memory is not ahead of etcd, and where they differ a write is open.
func (x *schedule) check() {
	e, err := x.s.Read(context.Background(), x.key)
	if err != nil && !errors.Is(err, persist.ErrNotExist) {
		x.failed("reading: %w", err)
	}
	now := string(e.Content)
	ahead := x.open != nil && !x.inDoubt && now == string(x.open.Next)
	if now != x.memory && !ahead {
		x.failed("memory says %.60q, etcd %.60q, open is %v", x.memory, now, x.open)
	}
}

// finish ends the faults: one settling makes everything definite, and it stays so whatever arrives.
func (x *schedule) finish() {
	if x.rng.IntN(2) == 0 {
		x.deliver()
	}
	if x.err == nil && x.open != nil {
		x.learn(x.open.Settle(context.Background(), x.f, nil), false)
		if x.open != nil {
			x.failed("still not definite")
		}
	}
	x.deliver()
	x.check()
}
