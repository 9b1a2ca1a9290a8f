//go:build linux

package main

import (
	"fmt"
	"slices"
	"time"
)

// pair measures two things in turns, and returns the median of each: what disturbs the machine meanwhile disturbs both.
func pair(rounds int, ours, bare func() error) (a, b time.Duration, err error) {
	var as, bs []time.Duration
	for range rounds {
		for _, x := range []struct {
			do    func() error
			times *[]time.Duration
		}{{ours, &as}, {bare, &bs}} {
			start := time.Now()
			if err := x.do(); err != nil {
				return 0, 0, err
			}
			*x.times = append(*x.times, time.Since(start))
		}
	}
	return median(as), median(bs), nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// verdict is a ratio beside its target.
func verdict(a, b time.Duration, target float64) string {
	ratio := float64(a) / float64(b)
	word := "yes"
	if ratio > target {
		word = "NO"
	}
	return fmt.Sprintf("%s | %s | %.2f | ≤ %.2f | %s", short(a), short(b), ratio, target, word)
}

func short(d time.Duration) string {
	switch {
	case d > 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	case d > 100*time.Microsecond:
		return d.Round(time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}
