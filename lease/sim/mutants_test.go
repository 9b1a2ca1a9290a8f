//go:build linux || darwin || freebsd

package sim_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// mutant is a protocol with one mistake.
type mutant struct {
	call   func(*actor, memory.Call) error                                   // of the disk
	store  func(*proc, persist.Store) persist.Store                          // between a registry and its store
	status func(asker, found *proc, asked process.Identity, truly bool) bool // of the process table

	hasty    bool // the owner opens the gate before host-active is written
	trusting bool // the owner takes the gate's death for the end of all
	blind    bool // the gate leaves its note without waiting
}

func (p *proc) is(role string) bool {
	return strings.Contains(p.name, role) && !strings.Contains(p.name, "of")
}

// leftOut answers a call without making it, for some processes.
func leftOut(role string, ops ...string) func(*actor, memory.Call) error {
	return func(a *actor, c memory.Call) error {
		for _, op := range ops {
			if c.Op == op && a.proc.is(role) {
				return memory.ErrDropped
			}
		}
		return nil
	}
}

// late is a store that says "written" and writes with its next operation.
type late struct {
	persist.Store
	owed *func()
}

type lateWrite struct {
	persist.Write
	owed *func()
}

func (s late) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	if *s.owed != nil {
		(*s.owed)()
		*s.owed = nil
	}
	w, err := s.Store.Stage(ctx, key, content)
	return lateWrite{w, s.owed}, err
}

func (w lateWrite) Replace(ctx context.Context, old persist.Digest) error {
	*w.owed = func() {
		if w.Write.Replace(ctx, old) == nil {
			_ = w.Write.Settle(ctx)
		}
	}
	return nil
}

func (w lateWrite) Settle(ctx context.Context) error {
	if *w.owed != nil {
		return nil
	}
	return w.Write.Settle(ctx)
}

// unseeing is a store that lists nothing.
type unseeing struct{ persist.Store }

func (unseeing) Keys(context.Context) ([]string, error) { return nil, nil }
func (unseeing) List(context.Context) iter.Seq2[persist.Entry, error] {
	return func(func(persist.Entry, error) bool) {}
}

// mutants are mistakes, where they are looked for, and the invariant that has to break. Without a cast they are looked for by random walks.
var mutants = []struct {
	name, breaks string
	mutant       mutant
	cast         string
	bound        bound
	seed         uint64 // that finds it today: where the race detector, which is slow, begins
}{
	{"memory moves before the disk", "I3", mutant{store: forOwners(func(s persist.Store) persist.Store { return late{s, new(func())} })},
		"host", bound{}, 0},
	{"the gate opens before host-active is written", "I4", mutant{hasty: true}, "", bound{}, 0},
	{"a gate's death is taken for the end of all", "I5", mutant{trusting: true}, "", bound{}, 423},
	{"the gate leaves its note before all have ended", "I5", mutant{blind: true}, "host", bound{}, 0},
	{"the doctor ignores the host", "I2", mutant{status: hostless}, "", bound{}, 290},
	{"the doctor does not ask for the liveness lock", "I2", mutant{call: leftOut("doctor", "Own", "Owned")}, "", bound{}, 0},
	{"admission ignores the other leases", "of an owner that was lost", mutant{store: forOwners(func(s persist.Store) persist.Store { return unseeing{s} })}, "", bound{}, 256},
	{"admission takes no catalogue lock", "I1", mutant{call: leftOut("owner", "Flock")}, "", bound{}, 0},
	{"a directory is never synced", "I3", mutant{call: leftOut("owner", "Sync")}, "alone", bound{accidents: 1}, 0},
	{"only numbers are compared", "stranded", mutant{status: numbered}, "", bound{}, 845},
}

func forOwners(wrap func(persist.Store) persist.Store) func(*proc, persist.Store) persist.Store {
	return func(p *proc, s persist.Store) persist.Store {
		if p.is("owner") {
			return wrap(s)
		}
		return s
	}
}

// hostless takes every host for dead, if a doctor asks.
func hostless(asker, _ *proc, asked process.Identity, truly bool) bool {
	for _, i := range asker.w.invocations {
		if i.gate != nil && i.gate.id == asked && asker.is("doctor") {
			return false
		}
	}
	return truly
}

// numbered takes whoever has the number for the process that had it.
func numbered(_, found *proc, _ process.Identity, _ bool) bool { return found != nil && found.alive }

// TestMutants lets each mistake be found: a simulation that cannot fail shows nothing.
func TestMutants(t *testing.T) {
	simulate(t, func(t *testing.T, home *memory.Disk) {
		for _, m := range mutants {
			if !raceDetector && !testing.Short() {
				m.seed = 0
			}
			var sum tally
			if m.cast == "" {
				seed, err := wanderUntil(m.seed, m.mutant, home, m.breaks, &sum)
				require.ErrorContains(t, err, m.breaks, m.name)
				_, again := walk(seed, m.mutant, home, &tally{})
				require.EqualError(t, again, err.Error(), "%s, played again", m.name)
				t.Logf("%-47s found by seed %d, %d steps: %v", m.name, seed, sum.steps, err)
				continue
			}
			s, err := search(casts[m.cast], m.mutant, home, m.bound, &sum)
			require.ErrorContains(t, err, m.breaks, m.name)
			again := begin(casts[m.cast], m.mutant, home).play(s.follow)
			require.EqualError(t, again, err.Error(), "%s, played again", m.name)
			t.Logf("%-47s found by schedule %d (%s), %d steps: %v", m.name, sum.schedules, s, sum.steps, err)
		}
	})
}

// wanderUntil walks until a violation says so, and past all others.
func wanderUntil(from uint64, m mutant, home *memory.Disk, breaks string, t *tally) (seed uint64, err error) {
	for seed = from; seed < from+20_000; seed++ {
		if _, err = walk(seed, m, home, t); err != nil && strings.Contains(err.Error(), breaks) {
			break
		}
	}
	return seed, err
}
