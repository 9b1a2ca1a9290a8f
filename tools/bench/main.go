//go:build linux

// Command bench is what `make bench` runs: the targets of the file store, each as a ratio of two things measured in turns in
// one run, and the same write by other means beside it. It writes its section of BENCHMARKS.md; sections of other programs
// stay as they are. Times depend on the machine; the ratios are what is promised.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"containlease/tools/internal/scene"
	"containlease/tools/internal/section"

	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(roles[os.Args[1]](os.Args[2:]))
	}
	file := flag.String("o", "", "write the section into this file, such as BENCHMARKS.md")
	disk := flag.String("disk", "", "a directory on the disk to measure (default: the temporary directory)")
	rounds := flag.Int("rounds", 400, "interleaved pairs for a median")
	leases := flag.Int("leases", 100_000, "leases of the largest home")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	text, err := measure(ctx, *disk, *rounds, *leases)
	if err == nil {
		fmt.Print(text)
		if *file != "" {
			err = section.Replace(*file, "store", text)
		}
	}
	end(err)
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// roles are what this program does as its own child.
var roles = map[string]func(args []string) error{
	"replace": replaceOften, "acquire": acquireOnce, "peer": peerOften, "cycle": cycleOnce, "own": own,
}

// places are the directories that are measured in: on a disk, whose syncs dominate, and in memory, where only work counts.
type places struct{ disk, memory string }

func measure(ctx context.Context, disk string, rounds, leases int) (text string, err error) {
	var p places
	if p.disk, err = os.MkdirTemp(disk, "containlease-bench-"); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.disk)) }()
	if p.memory, err = scene.Dir(true); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.memory)) }()
	var b bytes.Buffer
	fmt.Fprintf(&b, "## The file store\n\n%s\n\n", machine(p))
	for _, part := range []func(context.Context, *bytes.Buffer, places, int) error{targets, peers,
		func(ctx context.Context, b *bytes.Buffer, p places, _ int) error { return scale(ctx, b, p, leases) }} {
		if err := part(ctx, &b, p, rounds); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// machine says on what the figures were taken.
func machine(p places) string {
	model := "unknown processor"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	var u unix.Utsname
	_ = unix.Uname(&u)
	return fmt.Sprintf("%s. %s, %d processors, Linux %s, %s. Disk: %s; memory: %s.", time.Now().UTC().Format("2006-01-02"),
		model, runtime.NumCPU(), unix.ByteSliceToString(u.Release[:]), runtime.Version(), scene.FileSystem(p.disk), scene.FileSystem(p.memory))
}
