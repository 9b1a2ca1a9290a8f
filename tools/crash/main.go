//go:build linux

// Command crash is what `make crash` runs: real processes taking leases through their lives are killed at every system
// call, have every call fail with everything that it can fail with, and lose the power under load. Afterwards a fresh
// process inspects what is left, recovers it and runs the next invocation. It prints how many calls were tried and what
// was seen, and ends with 1 if any promise was broken. What this machine cannot do is skipped aloud, and an
// error in CI.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"containlease/tools/internal/scene"
)

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(os.Args[1], roles[os.Args[1]](os.Args[2:]))
	}
	only := flag.String("calls", "", "only these system calls, separated by commas")
	power := flag.Int("power", 12, "forced shutdowns for each file system; 0 for none")
	patience := flag.Duration("patience", 30*time.Minute, "give up after this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, *patience)
	err := torment(ctx, *only, *power)
	cancel()
	stop()
	end("crash", err)
}

func end(who string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, who+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var errBroken = errors.New("promises were broken")

func torment(ctx context.Context, only string, power int) (err error) {
	dir, err := scene.Dir(true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := stage{ctx: ctx, dir: dir, program: filepath.Join(dir, "containlease")}
	if s.self, err = os.Executable(); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", s.program, "containlease/tools/containlease").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building containlease: %w\n%s", err, out)
	}
	calls, err := choose(only)
	if err != nil {
		return err
	}
	return errors.Join(s.calls(calls), s.powers(power))
}

// calls sweeps them and prints the table.
func (s *stage) calls(calls []call) error {
	if err := exec.CommandContext(s.ctx, "strace", "-qq", "-o", "/dev/null", "true").Run(); err != nil {
		return scene.Skip("no call was tried, because strace does not work here", err)
	}
	start := time.Now()
	rows, err := s.sweep(calls)
	broken := printRows(rows, time.Since(start))
	if err == nil && broken > 0 {
		err = errBroken
	}
	return err
}

func choose(only string) ([]call, error) {
	if only == "" {
		return calls, nil
	}
	var chosen []call
	for name := range strings.SplitSeq(only, ",") {
		n := len(chosen)
		for _, c := range calls {
			if c.name == name {
				chosen = append(chosen, c)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("%s is no call of the table", name)
		}
	}
	return chosen, nil
}
