//go:build linux

package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"containlease/fsm"
)

// row is what all trials of one call came to.
type row struct {
	call            string
	kills, failures int
	seen            map[fsm.State]int
	broken          []string
}

// endless bounds a sweep: no life has so many calls of one kind.
const endless = 400

// workers is how many victims run at a time.
var workers = runtime.NumCPU() + 1

// sweep kills a victim at every call and lets every call fail with everything that it can fail with, and returns one row
// for each system call.
func (s *stage) sweep(calls []call) ([]row, error) {
	rows := make([]row, len(calls))
	errs := make([]error, len(calls))
	queue := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for i := range queue {
				rows[i], errs[i] = s.sweepCall(calls[i])
			}
		})
	}
	for i := range calls {
		queue <- i
	}
	close(queue)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func (s *stage) sweepCall(c call) (row, error) {
	r := row{call: c.name, seen: map[fsm.State]int{}}
	for _, what := range append([]string{"signal=KILL"}, each("error=", c.errnos)...) {
		for n := 1; ; n++ {
			i := injection{c.name, what, n}
			t, err := s.try(i)
			if err != nil {
				return r, fmt.Errorf("%s: %w", i, err)
			}
			if !t.fired {
				break
			}
			if n == endless {
				return r, fmt.Errorf("%s: there is no end of them", i)
			}
			r.add(i, t)
		}
	}
	return r, nil
}

func (r *row) add(i injection, t trial) {
	if i.what == "signal=KILL" {
		r.kills++
	} else {
		r.failures++
	}
	for _, s := range t.seen {
		r.seen[s]++
	}
	for _, b := range t.broken {
		r.broken = append(r.broken, fmt.Sprintf("%s: %s", i, b))
	}
}

func each(prefix string, words []string) []string {
	words = slices.Clone(words)
	for i := range words {
		words[i] = prefix + words[i]
	}
	return words
}
