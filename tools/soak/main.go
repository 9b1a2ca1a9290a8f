//go:build linux

// Command soak is what `make soak` runs: many processes and many rounds on one home, longer than a test may take. Every
// part checks what it promises and prints what it counted; the tests of this package run the same parts in small.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"containlease/tools/internal/scene"
)

func main() {
	if len(os.Args) == 5 && os.Args[1] == "invoke" {
		end(invoke(os.Args[2:]))
	}
	reads := flag.Int("reads", 1_000_000, "leases to be read beside constant transitions, on each file system")
	rounds := flag.Int("rounds", 10_000, "rounds of two doctors and two acquirers")
	disk := flag.String("disk", "", "a directory on a disk (default: the temporary directory)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	end(soak(ctx, *disk, *reads, *rounds))
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// crowds are processes and the invocations of each.
var crowds = [][2]int{{2, 200}, {16, 50}, {64, 10}}

func soak(ctx context.Context, disk string, reads, rounds int) error {
	var errs []error
	for _, memory := range []bool{true, false} {
		errs = append(errs, inPlace(disk, memory, func(dir string) error {
			for _, c := range crowds {
				if err := contend(ctx, filepath.Join(dir, fmt.Sprintf("crowd-%d", c[0])), c[0], c[1]); err != nil {
					return err
				}
			}
			return scan(ctx, filepath.Join(dir, "scan"), reads)
		}))
	}
	errs = append(errs, inPlace("", true, func(dir string) error { return doctors(ctx, filepath.Join(dir, "doctors"), rounds) }))
	return errors.Join(errs...)
}

// inPlace gives do a directory in memory or on the disk and removes it.
func inPlace(disk string, memory bool, do func(dir string) error) (err error) {
	dir := ""
	if memory {
		dir, err = scene.Dir(true)
	} else {
		dir, err = os.MkdirTemp(disk, "containlease-soak-")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return do(dir)
}
