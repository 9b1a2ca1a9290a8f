//go:build linux || darwin || freebsd

package sim_test

import (
	"errors"
	"fmt"
	"strings"

	"containlease/persist/memory"
)

// stage lets one actor run at a time. An actor stops before everything that others can see or could have changed; whose turn is
// next is the schedule's choice.
type stage struct {
	actors  []*actor
	current *actor
	parked  chan struct{} // the running actor has stopped again
	step    int
	unlocks int // flocks given back so far, deaths included
	changes int // of the process table and of locks
	trace   []event
}

// event is one step as a person reads it.
type event struct {
	who  string
	what memory.Call
}

// actor is the one goroutine of a simulated process.
type actor struct {
	stage *stage
	proc  *proc
	turn  chan struct{}
	steps int
	cut   bool // its program is gone: whatever it still tries fails
	done  bool
	err   error

	next  memory.Call // what it does with its next turn
	ready func() bool // nil: it waits for nothing

	asked, holds bool           // for a flock; has one
	lock         string         // of the liveness lock opened last: its lease
	probed       map[string]int // the step at which it asked for a lease's liveness lock
}

var errEndless = errors.New("no end in sight")

// longest is far beyond any life: who takes so many steps never ends.
const longest = 20_000

// spawn starts a process that does one thing and then exits.
func (s *stage) spawn(p *proc, do func(*actor) error) *actor {
	a := &actor{stage: s, proc: p, turn: make(chan struct{}), probed: map[string]int{}, next: memory.Call{Op: "start"}}
	p.actor = a
	s.actors = append(s.actors, a)
	go func() {
		<-a.turn
		if err := do(a); !a.cut {
			a.err = err
			p.die()
		}
		a.done = true
		s.parked <- struct{}{}
	}()
	return a
}

// pause gives the turn away. false: it was killed meanwhile, and does nothing more.
func (a *actor) pause(what memory.Call, ready func() bool) bool {
	if a.cut {
		return false
	}
	a.next, a.ready = what, ready
	a.stage.parked <- struct{}{}
	<-a.turn
	return !a.cut
}

// does is pause for what happens in the process table only.
func (a *actor) does(what string) bool {
	return a.pause(memory.Call{Op: what}, nil)
}

func (a *actor) waits(what string, ready func() bool) bool {
	return a.pause(memory.Call{Op: what}, ready)
}

func (a *actor) enabled() bool { return !a.done && (a.ready == nil || a.ready()) }

// run gives an actor one turn.
func (s *stage) run(a *actor) {
	s.current = a
	a.steps++
	s.trace = append(s.trace, event{a.proc.name, a.next})
	a.turn <- struct{}{}
	<-s.parked
}

// bury runs the code of programs that are gone to its end: all that it still tries fails.
func (s *stage) bury() {
	for _, a := range s.actors {
		if !a.done && a.cut {
			a.turn <- struct{}{}
			<-s.parked
		}
	}
}

// enter is the hook before each call to the disk.
func (a *actor) enter(c memory.Call) error {
	var ready func() bool
	if c.Op == "Flock" && a.asked { // it was refused: it polls, and the next answer that may differ is after an unlock
		seen := a.stage.unlocks
		ready = func() bool { return a.stage.unlocks > seen }
	} else if a.asked {
		a.asked, a.holds = false, true
	}
	if !a.pause(c, ready) {
		return memory.ErrKilled
	}
	switch {
	case c.Op == "Flock" && a.holds:
		a.holds = false
		a.stage.unlocks++
		a.stage.changes++
	case c.Op == "Flock":
		a.asked = true
		a.stage.changes++
	case c.Op == "Own", c.Op == "Disown":
		a.stage.changes++
	case c.Op == "Open" && strings.HasSuffix(c.Name, ".lock"):
		a.lock = strings.TrimSuffix(c.Name, ".lock")
	case c.Op == "Owned":
		a.probed[a.lock] = a.stage.step
	}
	return nil
}

// story is the trace in lines, steps of one process in a row folded.
func (s *stage) story() string {
	var b strings.Builder
	for i, e := range s.trace {
		if i == 0 || s.trace[i-1].who != e.who {
			fmt.Fprintf(&b, "\n%5d %-12s", i, e.who)
		}
		fmt.Fprintf(&b, " %s;", strings.TrimSpace(e.what.Op+" "+e.what.Name))
	}
	return b.String()
}
