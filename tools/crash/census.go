//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// called finds the name in a line of strace, with or without the thread's number; not in the second half of a call, nor where
// a signal or an end is told.
var called = regexp.MustCompile(`(?m)^(?:\d+ +)?([a-z_][a-z0-9_]*)\(`)

// count is how often a call is made: before a life begins, where it is the loader's and the run-time's, and in it.
type count struct{ before, made int }

// begin is called by a victim where its life begins. getpgid stands for that in the trace: nobody else makes it.
func begin() { _, _ = unix.Getpgid(0) }

// census runs a life to its end without harming it, and counts the calls of its main thread, to which all harm is done. A call
// of any of its threads that is neither swept nor known to be harmless is an error: the lists would otherwise grow old.
func (s *stage) census(l life) (counts map[string]count, err error) {
	if err := s.inTrial(func(dir string) error {
		traced, err := s.trace(l, dir, "-f")
		if err == nil {
			err = known(l, traced)
		}
		return err
	}); err != nil {
		return nil, err
	}
	counts = map[string]count{}
	return counts, s.inTrial(func(dir string) error {
		traced, err := s.trace(l, dir)
		begun := false
		for _, m := range called.FindAllStringSubmatch(traced, -1) {
			c := counts[m[1]]
			if begun = begun || m[1] == "getpgid"; begun {
				c.made++
			} else {
				c.before++
			}
			counts[m[1]] = c
		}
		if err == nil && !begun {
			err = fmt.Errorf("a %s does not say where it begins", l.name)
		}
		return err
	})
}

// trace runs a whole life under strace.
func (s *stage) trace(l life, dir string, flags ...string) (string, error) {
	v, err := l.enter(s, dir)
	if err != nil {
		return "", err
	}
	defer v.leave()
	log := filepath.Join(dir, "strace")
	if out, err := s.strace(log, flags, v).CombinedOutput(); err != nil {
		return "", fmt.Errorf("a %s that nobody harmed: %w: %s", l.name, err, out)
	}
	traced, err := os.ReadFile(log)
	return string(traced), err
}

// known names the calls that are in neither list, nor among more.
func known(l life, traced string, more ...string) error {
	var strange []string
	for _, m := range called.FindAllStringSubmatch(traced, -1) {
		swept := slices.ContainsFunc(calls, func(c call) bool { return c.name == m[1] }) || slices.Contains(more, m[1])
		if _, no := harmless[m[1]]; !swept && !no && !slices.Contains(strange, m[1]) {
			strange = append(strange, m[1])
		}
	}
	if len(strange) > 0 {
		return fmt.Errorf("a %s makes system calls that are neither swept nor listed as harmless, see calls.go: %s", l.name, strings.Join(strange, ", "))
	}
	return nil
}
