//go:build linux

// Command crash is what `make crash` runs: real processes taking leases through their lives are killed at every system
// call, have every call fail with everything that it can fail with, and lose the power under load. Afterwards a fresh
// process inspects what is left, recovers it and runs the next invocation. Real runs with gate and plugin are refused an answer on the way to
// a proof, beside a child that does not end. A census of the calls holds the list of those that
// are swept against what is really called. It prints how many calls were tried of how many and what was seen, and ends with
// 1 if any promise was broken. What there is no time for is left out at random, unless all is asked for; what this
// machine cannot do is skipped aloud, and an error in CI.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"containlease/lease/host"
	"containlease/tools/internal/scene"
)

func main() {
	host.GateMain()
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(os.Args[1], roles[os.Args[1]](os.Args[2:]))
	}
	var o order
	flag.StringVar(&o.only, "calls", "", "only these system calls, separated by commas")
	flag.IntVar(&o.power, "power", 12, "forced shutdowns for each file system; 0 for none")
	flag.IntVar(&o.trees, "trees", 60, "moments at which a run with its gate and plugin is killed; 0 for none")
	flag.IntVar(&o.refusals, "refusals", 60, "answers that are refused to a run beside a child that does not end; 0 for none")
	flag.StringVar(&o.refused, "refused", "", "only refusals whose words this regular expression finds")
	flag.DurationVar(&o.within, "within", 4*time.Minute+30*time.Second, "begin no trial after this")
	all := flag.Bool("all", false, "every trial, however long it takes")
	flag.Parse()
	if *all {
		o.trees, o.refusals, o.within = math.MaxInt, math.MaxInt, 24*time.Hour
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := torment(ctx, o)
	stop()
	end("crash", err)
}

// order is what is asked for.
type order struct {
	only, refused          string
	power, trees, refusals int
	within                 time.Duration
}

func end(who string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, who+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var errBroken = errors.New("promises were broken")

func torment(ctx context.Context, o order) (err error) {
	until := time.Now().Add(o.within)
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
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	// The sweep comes last: it takes what time is left.
	return errors.Join(s.powers(o.power), s.trees(o.trees, until), s.refuse(o.refusals, o.refused, until), s.calls(chosen, until))
}

// calls sweeps them and prints the table.
func (s *stage) calls(chosen []call, until time.Time) error {
	if err := exec.CommandContext(s.ctx, "strace", "-qq", "-o", "/dev/null", "true").Run(); err != nil {
		return scene.Skip("no call was tried, because strace does not work here", err)
	}
	start := time.Now()
	plan, err := s.plan(chosen)
	if err != nil {
		return err
	}
	rows, err := s.sweep(chosen, plan, until)
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
