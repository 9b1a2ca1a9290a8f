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
	"strconv"
	"syscall"

	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(roles[os.Args[1]](os.Args[2:]))
	}
	reads := flag.Int("reads", 1_000_000, "leases to be read beside constant transitions, on each file system")
	rounds := flag.Int("rounds", 10_000, "rounds of two doctors and two acquirers")
	disk := flag.String("disk", "", "a directory on a disk (default: the temporary directory)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	end(soak(ctx, *disk, *reads, *rounds))
}

// roles are what this program does as its own child.
var roles = map[string]func(args []string) error{"invoke": invoke, "ground": scanGround}

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
			return nil
		}))
	}
	errs = append(errs, inPlace("", true, func(dir string) error {
		return errors.Join(scan(ctx, filepath.Join(dir, "scan"), reads), grounds(ctx, dir, reads),
			doctors(ctx, filepath.Join(dir, "doctors"), rounds))
	}))
	return errors.Join(errs...)
}

// grounds scans on each file system that can be mounted here, from an image in dir, in a process apart.
func grounds(ctx context.Context, dir string, reads int) error {
	var errs []error
	for _, g := range []scene.Ground{scene.Ext4, scene.XFS, scene.Btrfs} {
		image, why, err := g.Image(ctx, dir)
		if why != nil {
			errs = append(errs, scene.Skip("nothing was scanned on "+g.Name, why))
			continue
		}
		if err == nil {
			err = scene.Apart(ctx, "ground", image, fmt.Sprint(reads))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// scanGround IMAGE READS mounts the image and scans a home on it.
func scanGround(args []string) error {
	reads, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	mnt, err := scene.Settle(args[0])
	if err != nil {
		return err
	}
	if err := scene.Mount(args[0], mnt); err != nil {
		return err
	}
	err = scan(context.Background(), filepath.Join(mnt, "scan"), reads)
	return errors.Join(err, unix.Unmount(mnt, 0))
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
