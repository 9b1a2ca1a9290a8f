//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"
)

// contend lets many processes take invocations of three plugins through their lives in one home. All must succeed, and
// nothing may be left.
func contend(ctx context.Context, home string, processes, invocations int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	waits, errs := make([][]time.Duration, processes), make([]error, processes)
	var all sync.WaitGroup
	for i := range processes {
		all.Go(func() {
			c := exec.CommandContext(ctx, self, "invoke", home, fmt.Sprintf("plugin-%d", i%3), strconv.Itoa(invocations))
			c.Stderr = os.Stderr
			out, err := c.Output()
			if err == nil {
				err = json.Unmarshal(out, &waits[i])
			}
			errs[i] = err
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%d processes × %d invocations: %w", processes, invocations, err)
	}
	if left := scene.Leftovers(home); len(left) > 0 {
		return fmt.Errorf("%d processes × %d invocations left %v", processes, invocations, left)
	}
	sorted := slices.Sorted(slices.Values(slices.Concat(waits...)))
	fmt.Printf("%d processes × %d invocations in %s: all succeeded, nothing left; an acquire took %s in the median and %s at most\n",
		processes, invocations, scene.FileSystem(filepath.Dir(home)), sorted[len(sorted)/2].Round(time.Microsecond), sorted[len(sorted)-1].Round(time.Microsecond))
	return nil
}

// invoke HOME PLUGIN TIMES takes invocations through their lives and prints how long each acquire took, as JSON.
func invoke(args []string) error {
	ctx := context.Background()
	times, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer reg.Close()
	var waits []time.Duration
	for range times {
		var since time.Time
		err := scene.Cycle(ctx, reg, args[1], lease.HostOf(self.Identity), func(word, id string, s fsm.State) {
			switch {
			case word == "try" && id == "":
				since = time.Now()
			case word == "ack" && s == fsm.StateParentOwned:
				waits = append(waits, time.Since(since))
			}
		})
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(waits)
}
