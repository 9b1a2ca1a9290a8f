package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"containlease/tools/leasedoc/internal/model"
)

var (
	stored   = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
	violated = regexp.MustCompile(`assertion violated .*\(([1-6])==0\)`)
	complete = regexp.MustCompile(`errors: 0\b`)
	cut      = regexp.MustCompile(`max search depth too small|out of memory|Search not completed`)
)

// search makes one exhaustive run in a folder of its own: Spin writes a program in C, gcc compiles it, it visits every
// state.
func search(text []byte, r model.Run) (model.Result, error) {
	dir, err := os.MkdirTemp("", "spin")
	if err != nil {
		return model.Result{}, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "lease.pml"), text, 0o644); err != nil {
		return model.Result{}, err
	}
	args := []string{"-a"}
	for _, s := range r.Switches {
		args = append(args, "-D"+s)
	}
	if _, err := command(dir, "spin", append(args, "lease.pml")...); err != nil {
		return model.Result{}, err
	}
	if _, err := command(dir, "gcc", "-O2", "-DSAFETY", "-DCOLLAPSE", "-DNOFAIR", "-o", "pan", "pan.c"); err != nil {
		return model.Result{}, err
	}
	start := time.Now()
	out, err := command(dir, "./pan", "-E", "-m400000")
	if err != nil {
		return model.Result{}, err
	}
	return read(r.Name, out, time.Since(start))
}

// read takes the checker's report apart. A search that was cut short proves nothing.
func read(name, out string, took time.Duration) (model.Result, error) {
	res := model.Result{Run: name, Seconds: took.Seconds()}
	count := stored.FindStringSubmatch(out)
	if count == nil {
		return res, fmt.Errorf("the checker gave no count of states:\n%s", out)
	}
	res.States, _ = strconv.Atoi(count[1])
	switch broke := violated.FindStringSubmatch(out); {
	case broke != nil:
		res.Outcome = "breaks I" + broke[1]
	case complete.MatchString(out) && !cut.MatchString(out):
		res.Outcome = model.Holds
	default:
		return res, fmt.Errorf("the search was not complete:\n%s", out)
	}
	return res, nil
}

func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return string(out), nil
}
