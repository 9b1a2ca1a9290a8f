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

// mutants are mistakes, where they are looked for, and the invariant that has to break.
var mutants = []struct {
	name, cast string
	bound      bound
	breaks     string
	mutant     mutant
}{
	{"memory moves before the disk", "host", bound{}, "I3", mutant{store: func(p *proc, s persist.Store) persist.Store {
		if p.is("owner") {
			return late{s, new(func())}
		}
		return s
	}}},
	{"the gate opens before host-active is written", "host", bound{switches: 1}, "I4", mutant{hasty: true}},
	{"a gate's death is taken for the end of all", "host", bound{1, 1}, "I5", mutant{trusting: true}},
	{"the gate leaves its note before all have ended", "host", bound{1, 1}, "I5", mutant{blind: true}},
	{"the doctor ignores the host", "init", bound{1, 1}, "I2", mutant{status: func(asker, _ *proc, asked process.Identity, truly bool) bool {
		host := false
		for _, i := range asker.w.invocations {
			host = host || i.gate != nil && i.gate.id == asked
		}
		return truly && !(asker.is("doctor") && host)
	}}},
	{"the doctor does not ask for the liveness lock", "host", bound{switches: 1}, "I2", mutant{call: leftOut("doctor", "Own", "Owned")}},
	{"admission ignores the other leases", "host", bound{1, 1}, "I1", mutant{store: func(p *proc, s persist.Store) persist.Store {
		if p.is("owner") {
			return unseeing{s}
		}
		return s
	}}},
	{"admission takes no catalogue lock", "alone", bound{switches: 1}, "I1", mutant{call: leftOut("owner", "Flock")}},
	{"a directory is never synced", "host", bound{accidents: 1}, "I3", mutant{call: leftOut("owner", "Sync")}},
	{"only numbers are compared", "host", bound{accidents: 2}, "stranded", mutant{
		status: func(_, found *proc, _ process.Identity, _ bool) bool { return found != nil && found.alive }}},
}

// TestMutants lets each mistake be found: a simulation that cannot fail shows nothing.
func TestMutants(t *testing.T) {
	simulate(t, func(t *testing.T, home *memory.Disk) {
		for _, m := range mutants {
			var sum tally
			s, err := search(casts[m.cast], m.mutant, home, m.bound, 100_000, &sum)
			require.ErrorContains(t, err, m.breaks, m.name)
			w := begin(casts[m.cast], m.mutant, home)
			require.EqualError(t, w.play(s.follow), err.Error(), "%s, played again", m.name)
			t.Logf("%-50s found by schedule %5d (%s): %v", m.name, sum.schedules, s, err)
		}
	})
}
