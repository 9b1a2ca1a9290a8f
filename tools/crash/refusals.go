//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"containlease/tools/internal/answers"
)

// refusal is a call that one process of a run is refused, beside a child of its plugin that does not end by itself.
type refusal struct {
	boundary string
	leaves   bool   // the child leaves its control group as well
	prepared bool   // a library starts the plugin: there is a front
	who      string // or everybody, from the start of the run on
	call     string
	errno    string
	when     string // as strace has it: of each thread's calls
}

const everybody = "everybody"

func (r refusal) String() string {
	leaves := ""
	if r.leaves {
		leaves = ", child outside"
	}
	if r.prepared {
		leaves += ", prepared"
	}
	return fmt.Sprintf("%s%s, %s, %s: %s, when=%s", r.boundary, leaves, r.who, r.call, r.errno, r.when)
}

var (
	anyErrno  = []string{"ENOSYS", "EPERM", "EIO", "EMFILE", "ENOMEM", "EINVAL", "EAGAIN", "EINTR", "ECHILD", "ESRCH", "EBADF"}
	occasions = []string{"1", "2", "1+"}
	scenes    = []refusal{{boundary: "subreaper"}, {boundary: "cgroup-v2"}, {boundary: "cgroup-v2", leaves: true}, {boundary: "pid-namespace"},
		{boundary: "subreaper", prepared: true}, {boundary: "cgroup-v2", prepared: true}, {boundary: "pid-namespace", prepared: true}}
)

// endless reports what no kernel does and the standard library bears for ever: a call of its own that is always interrupted. Ours are the
// gate's two waits.
func (r refusal) endless() bool {
	ours := r.who == answers.Gate && (r.call == "waitid" || r.call == "wait4")
	return r.errno == "EINTR" && r.when == "1+" && !ours
}

// refusals are all that can be tried, in a random order.
func refusals() (all []refusal) {
	for _, r := range scenes {
		for _, r.who = range []string{answers.Owner, answers.Front, answers.Gate, everybody} {
			if r.who == answers.Front && !r.prepared {
				continue
			}
			for _, r.call = range callsOf(r.who) {
				for _, r.errno = range anyErrno {
					for _, r.when = range occasions {
						if !r.endless() {
							all = append(all, r)
						}
					}
				}
			}
		}
	}
	rand.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

// callsOf are the calls of one process once its plugin runs, or all that any process of a run makes.
func callsOf(who string) []string {
	if who != everybody {
		return answers.Calls(who, false)
	}
	names := append(answers.Calls(answers.Owner, true), answers.Calls(answers.Gate, true)...)
	names = append(names, answers.Calls(answers.Front, true)...)
	slices.Sort(names)
	return slices.Compact(names)
}

// refuse tries so many refusals of all whose words match only, and prints what came of them.
func (s *stage) refuse(samples int, only string, until time.Time) error {
	if samples == 0 {
		return nil
	}
	words, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(refusals(), func(r refusal) bool { return !words.MatchString(r.String()) })
	start, of := time.Now(), len(all)
	t := outcome{ends: map[string]int{}}
	err = inParallel(all[:min(samples, of)], until, func(r refusal) error { return s.refuseOne(r, &t) })
	for _, b := range t.broken {
		fmt.Println("BROKEN:", b)
	}
	fmt.Printf("answers refused to owner, front and gate beside a child that does not end: %d of %d tried in %s, %d came: %s; %d promises broken\n",
		t.tried, of, time.Since(start).Round(time.Second), t.fired, t.ended(), len(t.broken))
	if err == nil && len(t.broken) > 0 {
		err = errBroken
	}
	return err
}

// outcome is what came of all refusals.
type outcome struct {
	mu           sync.Mutex
	tried, fired int
	ends         map[string]int
	broken       []string
}

func (t *outcome) ended() string {
	var words []string
	for _, end := range []string{"released", "unsafe", "not started"} {
		words = append(words, fmt.Sprintf("%d %s", t.ends[end], end))
	}
	return strings.Join(words, ", ")
}

// refuseOne makes one trial in a directory of its own.
func (s *stage) refuseOne(r refusal, t *outcome) error {
	return s.inTrial(func(dir string) (err error) {
		inv := beside{stage: s, refusal: r, dir: dir, home: filepath.Join(dir, "home")}
		end, err := inv.try()
		err = errors.Join(err, inv.clear())
		t.mu.Lock()
		defer t.mu.Unlock()
		t.tried++
		if inv.fired {
			t.fired++
			t.ends[end]++
		}
		for _, b := range inv.broken {
			t.broken = append(t.broken, fmt.Sprintf("%s: %s", r, b))
		}
		return err
	})
}
