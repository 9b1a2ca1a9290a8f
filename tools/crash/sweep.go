//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"containlease/fsm"
)

// row is what all trials of one call came to.
type row struct {
	call            string
	kills, failures tally
	seen            map[fsm.State]int
	broken          []string
}

// tally is how many trials there could be, and how many were made.
type tally struct{ tried, of int }

func (t tally) String() string { return fmt.Sprintf("%d of %d", t.tried, t.of) }

const kill = "signal=KILL"

// workers is how many victims run at a time.
var workers = runtime.NumCPU() + 1

// plan is one trial for each call that each life makes, by its own census, and for everything that can befall it: first one of
// each kind, then the kills, then the rest, each in an order that makes any beginning a fair sample.
func (s *stage) plan(chosen []call) (plan []injection, err error) {
	var kills, failures []injection
	for i := range lives {
		counts, err := s.census(lives[i])
		if err != nil {
			return nil, err
		}
		for _, c := range chosen {
			for _, n := range rand.Perm(counts[c.name].made) {
				n += counts[c.name].before + 1
				kills = append(kills, injection{&lives[i], c.name, kill, n})
				for _, errno := range c.errnos {
					failures = append(failures, injection{&lives[i], c.name, "error=" + errno, n})
				}
			}
		}
	}
	met := map[injection]bool{}
	first := func(i injection) bool {
		i.n = 0
		known := met[i]
		met[i] = true
		return !known
	}
	var rest []injection
	for _, part := range [][]injection{kills, failures} {
		var later []injection
		for _, i := range part {
			if first(i) {
				plan = append(plan, i)
			} else {
				later = append(later, i)
			}
		}
		shuffle(later)
		rest = append(rest, later...)
	}
	shuffle(plan)
	return append(plan, rest...), nil
}

func shuffle(part []injection) {
	rand.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
}

// sweep makes the planned trials until the time is over, and returns one row for each system call.
func (s *stage) sweep(chosen []call, plan []injection, until time.Time) ([]row, error) {
	rows := make([]row, len(chosen))
	for i, c := range chosen {
		rows[i] = row{call: c.name, seen: map[fsm.State]int{}}
	}
	of := func(i injection) *row {
		return &rows[slices.IndexFunc(rows, func(r row) bool { return r.call == i.call })]
	}
	for _, i := range plan {
		of(i).tally(i).of++
	}
	var mu sync.Mutex
	err := inParallel(plan, until, func(i injection) error {
		t, err := s.try(i)
		if err != nil {
			return fmt.Errorf("%s: %w", i, err)
		}
		mu.Lock()
		defer mu.Unlock()
		of(i).add(i, t)
		return nil
	})
	return rows, err
}

// inParallel does all of them, or as many as can be begun in time, and stops at the first error.
func inParallel[T any](all []T, until time.Time, do func(T) error) error {
	var mu sync.Mutex
	var failed error
	next := func() (t T, more bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(all) == 0 || failed != nil || time.Now().After(until) {
			return t, false
		}
		t, all = all[0], all[1:]
		return t, true
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for t, more := next(); more; t, more = next() {
				if err := do(t); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return failed
}

func (r *row) tally(i injection) *tally {
	if i.what == kill {
		return &r.kills
	}
	return &r.failures
}

// add counts a trial, unless the call did not come this time.
func (r *row) add(i injection, t trial) {
	if !t.fired {
		return
	}
	r.tally(i).tried++
	for _, s := range t.seen {
		r.seen[s]++
	}
	for _, b := range t.broken {
		r.broken = append(r.broken, fmt.Sprintf("%s: %s", i, b))
	}
}
