package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"containlease/lease/cgroup"
	"containlease/lease/host"
	"containlease/tools/internal/scene"
)

// stuckAfter is how long anything may take before it counts as hung.
const stuckAfter = 40 * time.Second

// stage is what all rounds of one form share.
type stage struct {
	form       string
	told       bool   // every story, not only those that end badly
	dir        string // of the programs, and of the homes
	self       string // this program, which is also every process of a tree
	other      string // the same under another name, so another plugin
	boundaries []string
	group      *cgroup.Group // our own, in which all others are made; nil where we may make none
	crowd      []*bystander

	rounds, commands, runs, trees, refused, blinks atomic.Int64
	mu                                             sync.Mutex
	unseen                                         map[string]int // how often overlooked, by boundary
}

// newStage tries which boundaries there are for us here; what is missing is said aloud.
func newStage(ctx context.Context, form, programs string) (*stage, error) {
	s := &stage{form: form, told: os.Getenv("TORMENT_STORIES") != "", unseen: map[string]int{}}
	var err error
	if s.dir, err = scene.Dir(true); err != nil {
		return nil, err
	}
	s.self, s.other = filepath.Join(programs, "torment"), filepath.Join(programs, "bystanding")
	if err := errors.Join(os.Setenv("PATH", programs+":"+os.Getenv("PATH")), s.enclose()); err != nil {
		return s, err
	}
	for _, kind := range host.Kinds {
		if kind == host.Auto {
			continue
		}
		argv := append([]string{"--home", filepath.Join(s.dir, "try"), "run"}, boundaryFlags(kind)...)
		out, err := s.bare(ctx, append(argv, "--", "true")...).CombinedOutput()
		if err == nil {
			s.boundaries = append(s.boundaries, kind)
		} else {
			fmt.Printf("SKIPPED: %s: boundary %s: %s\n", form, kind, strings.TrimSpace(string(out)))
		}
	}
	if len(s.boundaries) == 0 {
		return s, errors.New("no boundary is possible here")
	}
	s.crowd, err = crowd(s.self)
	return s, err
}

// boundaryFlags are those of run.
func boundaryFlags(kind string) []string {
	flags := []string{"--boundary", kind}
	if kind == "process-group" {
		flags = append(flags, "--accept-unproved")
	}
	return flags
}

// bare is containlease with these arguments.
func (s *stage) bare(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "containlease", args...)
}

// enclose makes a control group in which all the others are made, so that none of them is mistaken
// for another's.
func (s *stage) enclose() error {
	if os.Geteuid() != 0 || cgroup.Try() != nil {
		return nil
	}
	own, err := cgroup.Own()
	if err != nil {
		return err
	}
	s.group, err = cgroup.Make(own, "torment-"+rand.Text())
	return err
}

func (s *stage) close() error {
	for _, b := range s.crowd {
		b.dismiss()
	}
	err := os.RemoveAll(s.dir)
	if s.group != nil {
		err = errors.Join(err, s.group.Remove(), s.group.Close())
	}
	return err
}

// overlooked counts a process that the documents say nobody sees.
func (s *stage) overlooked(boundary string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unseen[boundary]++
}

// sum is what was done, in one line.
func (s *stage) sum() string {
	return fmt.Sprintf("%s: %d rounds, %d commands, %d runs (%d refused), %d trees; %s",
		s.form, s.rounds.Load(), s.commands.Load(), s.runs.Load(), s.refused.Load(), s.trees.Load(),
		s.limits())
}

// limits is how often the documented limits were met.
func (s *stage) limits() string {
	return fmt.Sprintf("cleared beside processes that nobody sees: %v; looked again: %d",
		s.unseen, s.blinks.Load())
}
