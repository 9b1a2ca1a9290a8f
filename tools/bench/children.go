//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// child runs this program in a role.
func child(role string, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(self, append([]string{role}, args...)...)
	c.Stderr = os.Stderr
	return c
}

// crowd runs n children at a time and returns what each said.
func crowd(n int, role string, args ...string) ([]string, error) {
	said, errs := make([]string, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			out, err := child(role, args...).Output()
			said[i], errs[i] = string(out), err
		})
	}
	all.Wait()
	return said, errors.Join(errs...)
}

// replaceOften ours|calls|bare DIR DURATION prints how many replacements it made. All share one directory.
func replaceOften(args []string) error {
	d, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	var do func() error
	if args[0] == "ours" {
		r, err := newRecord(filepath.Join(args[1], "crowd"))
		if err != nil {
			return err
		}
		do = r.replace
	} else {
		b, err := newBare(filepath.Join(args[1], "crowd-bare"), uuid.NewString(), content(0))
		if err != nil {
			return err
		}
		do = map[string]func() error{"calls": b.replace, "bare": b.exchange}[args[0]]
	}
	n := 0
	for start := time.Now(); time.Since(start) < d; n++ {
		if err := do(); err != nil {
			return err
		}
	}
	fmt.Println(n)
	return nil
}

// peerOften DIR TIMES NAME replaces that often.
func peerOften(args []string) error {
	times, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for _, p := range peerTable {
		if p.name != args[2] {
			continue
		}
		replace, close, err := p.open(args[0])
		if err != nil {
			return err
		}
		defer close()
		for v := range times {
			if err := replace(v + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// cycleOnce DIR TIMES takes that many leases through their lives.
func cycleOnce(args []string) error {
	ctx := context.Background()
	times, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	reg, err := lease.Open(ctx, filepath.Join(args[0], "home"))
	if err != nil {
		return err
	}
	defer reg.Close()
	for range times {
		if err := scene.Cycle(ctx, reg, "plugin", lease.HostOf(self.Identity), func(string, string, fsm.State) {}); err != nil {
			return err
		}
	}
	return nil
}

// syncsOf counts the syncs of one repetition in a role: the difference of many and few, so that opening does not count.
func syncsOf(dir, role string, args ...string) (string, error) {
	const few, many = 5, 25
	if _, err := exec.LookPath("strace"); err != nil {
		return "not counted: no strace", nil
	}
	var counts [2]int
	for i, times := range []int{few, many} {
		where, err := os.MkdirTemp(dir, "syncs-")
		if err != nil {
			return "", err
		}
		log := filepath.Join(where, "strace")
		c := child(role, append([]string{where, strconv.Itoa(times)}, args...)...)
		c.Args = append([]string{"strace", "-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,sync_file_range,msync,sync,syncfs"}, c.Args...)
		if c.Path, err = exec.LookPath("strace"); err != nil {
			return "", err
		}
		if err := c.Run(); err != nil {
			return "", fmt.Errorf("counting syncs of %s: %w", role, err)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			return "", err
		}
		counts[i] = bytes.Count(text, []byte("sync(")) + bytes.Count(text, []byte("sync_file_range("))
	}
	return strconv.FormatFloat(float64(counts[1]-counts[0])/(many-few), 'f', -1, 64), nil
}

// figures are what a process with a crowded home measured.
type figures struct {
	Bare, Cold, Warm, Sweep, List, Doctor time.Duration
	BareMemory, AcquireMemory, ListMemory uint64 // the largest resident size so far, in bytes
}

func figuresOf(home, what string) (f figures, err error) {
	out, err := child("acquire", home, what).Output()
	if err == nil {
		err = json.Unmarshal(out, &f)
	}
	return f, err
}

func timed(d *time.Duration, do func() error) error {
	start := time.Now()
	err := do()
	*d = time.Since(start)
	return err
}

// acquireOnce HOME acquire|all measures in a fresh process, and prints figures as JSON.
func acquireOnce(args []string) error {
	ctx := context.Background()
	var f figures
	if err := timed(&f.Bare, func() error { return readAll(filepath.Join(args[0], "leases")) }); err != nil {
		return err
	}
	f.BareMemory = resident()
	var reg *lease.Registry
	take := func() (err error) {
		if reg == nil {
			if reg, err = lease.Open(ctx, args[0]); err != nil {
				return err
			}
		}
		h, err := reg.Acquire(ctx, scene.Identity("mine"), "")
		if err != nil {
			return err
		}
		return errors.Join(h.Event(ctx, fsm.CleanupComplete), h.Release(ctx))
	}
	if err := errors.Join(timed(&f.Cold, take), timed(&f.Warm, take)); err != nil {
		return err
	}
	f.AcquireMemory = resident()
	err := timed(&f.Sweep, func() error { _, err := reg.Sweep(ctx); return err })
	if err != nil {
		return err
	}
	if args[1] == "all" {
		if err := f.readers(ctx, reg); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

// readers measures those who read every lease.
func (f *figures) readers(ctx context.Context, reg *lease.Registry) error {
	err := timed(&f.List, func() error {
		for _, err := range reg.List(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	err = errors.Join(err, timed(&f.Doctor, func() error {
		_, err := reg.Repair(ctx, lease.RepairOptions{})
		return err
	}))
	f.ListMemory = resident()
	return err
}

func resident() uint64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return uint64(u.Maxrss) << 10
}
