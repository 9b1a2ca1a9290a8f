//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

// targets measures every promise about one write.
func targets(ctx context.Context, out *bytes.Buffer, p places, rounds int) error {
	fmt.Fprintf(out, "### Targets\n\n| | ours | bare | ratio | target | met |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, t := range []func(context.Context, *bytes.Buffer, places, int) error{replaceTargets, transitionTarget, crowdTarget, acquireTargets} {
		if err := t(ctx, out, p, rounds); err != nil {
			return err
		}
	}
	syncs, err := syncsOf(p.disk, "cycle")
	if err != nil {
		return err
	}
	met := map[bool]string{true: "yes", false: "NO"}[syncs == "9"]
	fmt.Fprintf(out, "| syncs of a whole cycle, acquire to release (counted by strace) | %s | | | = 9 | %s |\n", syncs, met)
	return nil
}

func replaceTargets(_ context.Context, out *bytes.Buffer, p places, rounds int) error {
	r, b, err := subject(p.disk, "replace")
	if err != nil {
		return err
	}
	defer r.home.Close()
	defer b.close()
	for _, t := range []struct {
		name   string
		bare   func() error
		target float64
	}{
		{"one replace ÷ pwrite + fdatasync + exchange + fsync of the directory, disk", b.exchange, 1.10},
		{"one replace ÷ temporary + fdatasync + rename + fsync of the directory, disk", b.temporary, 0.75},
	} {
		ours, bare, err := pair(rounds, r.replace, t.bare)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %s |\n", t.name, verdict(ours, bare, t.target))
	}
	return nil
}

// cpu is the processor time of this process so far, garbage collection included.
func cpu() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// transitionTarget compares the work of a handle's event with that of its system calls, in memory, where no sync waits.
func transitionTarget(ctx context.Context, out *bytes.Buffer, p places, rounds int) error {
	b, err := newBare(filepath.Join(p.memory, "transition-bare"), "transition", content(0))
	if err != nil {
		return err
	}
	defer b.close()
	reg, err := lease.Open(ctx, filepath.Join(p.memory, "transition-home"))
	if err != nil {
		return err
	}
	defer reg.Close()
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	host := lease.HostOf(self.Identity)
	var ours, bare time.Duration
	n := 0
	for i := range rounds {
		h, err := reg.Acquire(ctx, scene.Identity(fmt.Sprintf("plugin-%d", i)), "")
		if err != nil {
			return err
		}
		start := cpu()
		err = errors.Join(h.Event(ctx, fsm.HostStarting, host), h.Event(ctx, fsm.HostStarted, host), h.Event(ctx, fsm.CleanupComplete))
		middle := cpu()
		ours += middle - start
		for range 3 {
			err = errors.Join(err, b.transition())
		}
		bare += cpu() - middle
		n += 3
		if err = errors.Join(err, h.Release(ctx)); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "| processor time of one transition ÷ of all its system calls made bare, memory | %s |\n",
		verdict(ours/time.Duration(n), bare/time.Duration(n), 2.5))
	return nil
}

// crowdTarget lets 16 processes replace their own records, make all system calls of that bare, and the four calls that nobody can
// do without, in turns.
func crowdTarget(_ context.Context, out *bytes.Buffer, p places, _ int) error {
	const rounds = 5
	var rates [3]int
	for range rounds {
		for i, what := range []string{"ours", "calls", "bare"} {
			said, err := crowd(16, "replace", what, p.disk, "1s")
			if err != nil {
				return err
			}
			for _, s := range said {
				var n int
				if _, err := fmt.Sscan(s, &n); err != nil {
					return err
				}
				rates[i] += n
			}
		}
	}
	ratio := float64(rates[0]) / float64(rates[1])
	met := map[bool]string{true: "yes", false: "NO"}[ratio >= 0.9]
	fmt.Fprintf(out, "| replacements a second of 16 processes ÷ all their system calls made bare, disk | %d | %d | %.2f | ≥ 0.90 | %s |\n",
		rates[0]/rounds, rates[1]/rounds, ratio, met)
	fmt.Fprintf(out, "| the same ÷ pwrite + fdatasync + exchange + fsync alone | %d | %d | %.2f | | |\n",
		rates[0]/rounds, rates[2]/rounds, float64(rates[0])/float64(rates[2]))
	return nil
}

// acquireTargets measures an acquire beside 10,000 leases of other plugins, in a process that has just started and again in the same.
func acquireTargets(_ context.Context, out *bytes.Buffer, p places, _ int) error {
	home := filepath.Join(p.memory, "crowded")
	leave, err := fill(home, 10_000)
	if err != nil {
		return err
	}
	defer leave()
	var cold, warm, bare, sweep []time.Duration
	for range 9 {
		f, err := figuresOf(home, "acquire")
		if err != nil {
			return err
		}
		cold, warm, bare, sweep = append(cold, f.Cold), append(warm, f.Warm), append(bare, f.Bare), append(sweep, f.Sweep)
	}
	fmt.Fprintf(out, "| acquire beside 10,000 leases of other plugins ÷ readdir + open + read + close of them, cold process, memory | %s |\n",
		verdict(median(cold), median(bare), 2.0))
	fmt.Fprintf(out, "| the same, warm | %s |\n", verdict(median(warm), median(bare), 0.25))
	fmt.Fprintf(out, "| the sweep of what crashes left, by one first acquire in 21 beside so many | %s | %s | %.2f | | |\n",
		short(median(sweep)), short(median(bare)), float64(median(sweep))/float64(median(bare)))
	return errors.Join(os.RemoveAll(home))
}
