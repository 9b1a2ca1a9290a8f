package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// generated is a package that a generator wrote.
type generated struct{ name, dir, pattern, pkg string }

// sizes adds how long the generated code is, and how long it takes to compile.
func sizes(b *strings.Builder, root string) error {
	b.WriteString("| generated code | lines | seconds to compile |\n| --- | ---: | ---: |\n")
	for _, g := range []generated{
		{"gen/leasefile, all schemas", "gen/leasefile", "*_gen.go", "containlease/gen/leasefile"},
		{"go-jsonschema, lease-v2 alone", "tools/bench/decode/internal/atombender", "lease.go", "containlease/tools/bench/decode/internal/atombender"},
	} {
		lines, err := countLines(filepath.Join(root, g.dir), g.pattern)
		if err != nil {
			return err
		}
		took, err := compileTime(root, g.pkg)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| %s | %d | %.2f |\n", g.name, lines, took.Seconds())
	}
	return nil
}

func countLines(dir, pattern string) (lines int, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines, nil
}

// compileTime compiles one package anew, and not what it imports: a compiler flag of
// its own that changes nothing keeps the cache from answering. What the go command
// takes to find everything up to date is left out.
func compileTime(root, pkg string) (time.Duration, error) {
	build := func(flags ...string) (time.Duration, error) {
		cmd := exec.Command("go", append(append([]string{"build"}, flags...), pkg)...)
		cmd.Dir = filepath.Join(root, "tools")
		start := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("%w\n%s", err, out)
		}
		return time.Since(start), nil
	}
	if _, err := build(); err != nil {
		return 0, err
	}
	idle, err := build()
	if err != nil {
		return 0, err
	}
	took, err := build(fmt.Sprintf("-gcflags=%s=-trimpath=%d", pkg, time.Now().UnixNano()))
	return took - idle, err
}
