//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"containlease/tools/internal/scene"
)

// fall is where a tree falls: at its n-th system call, the process that makes it or all.
type fall struct {
	victim string
	n      int
}

// toll is what came of all falls.
type toll struct {
	mu     sync.Mutex
	killed map[string]int // by who it was
	word   int            // times that only an operator's word helped
	broken []string
}

// trees kills at system calls of `containlease run` with its real gate and plugin: at so many, spread over all of them, or at each.
func (s *stage) trees(samples int, until time.Time) error {
	if samples == 0 {
		return nil
	}
	start := time.Now()
	total, err := s.countTree()
	if err != nil {
		return err
	}
	var falls []fall
	for n := 1; n <= total; n++ {
		falls = append(falls, fall{"one", n}, fall{"all", n})
	}
	rand.Shuffle(len(falls), func(i, k int) { falls[i], falls[k] = falls[k], falls[i] })
	of := len(falls)
	t := toll{killed: map[string]int{}}
	err = inParallel(falls[:min(samples, of)], until, func(f fall) error { return s.fell(f, &t) })
	for _, b := range t.broken {
		fmt.Println("BROKEN:", b)
	}
	fmt.Printf("run, gate and plugin, killed at %d of %d moments in %s: the owner %d times, another %d, all %d; %d leases needed an operator's word, as no gate was left to prove the end; %d promises broken\n",
		t.killed["owner"]+t.killed["another"]+t.killed["all"], of, time.Since(start).Round(time.Second),
		t.killed["owner"], t.killed["another"], t.killed["all"], t.word, len(t.broken))
	if err == nil && len(t.broken) > 0 {
		err = errBroken
	}
	return err
}

// tree is a run under the tracer. What it says of itself is its own business.
func (s *stage) tree(f fall, home string) (calls int, killed string, err error) {
	c := exec.CommandContext(s.ctx, s.self, append([]string{"trace", f.victim, strconv.Itoa(f.n)}, s.run(home)...)...)
	out, err := c.Output()
	if err != nil {
		return 0, "", fmt.Errorf("tracing a run: %w", err)
	}
	number, killed, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), " ")
	calls, err = strconv.Atoi(number)
	return calls, killed, err
}

func (s *stage) run(home string) []string {
	return []string{s.program, "--home", home, "run", "--boundary", "subreaper", "--", "true"}
}

func (s *stage) countTree() (total int, err error) {
	return total, s.inTrial(func(dir string) error {
		total, _, err = s.tree(fall{"one", 0}, filepath.Join(dir, "home"))
		return err
	})
}

// fell makes one tree fall and then everything work again.
func (s *stage) fell(f fall, t *toll) error {
	return s.inTrial(func(dir string) error {
		home := filepath.Join(dir, "home")
		_, killed, err := s.tree(f, home)
		if err != nil || killed == "" { // it was over before
			return err
		}
		word, err := s.recover(home, killed)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.killed[killed]++
		if word {
			t.word++
		}
		if err != nil {
			t.broken = append(t.broken, fmt.Sprintf("%s killed at call %d of the tree: %v", killed, f.n, err))
		}
		return nil
	})
}

// recover lists, shows, repairs and runs again, in fresh processes. Where the owner alone was killed, the gate has proved the end,
// and nobody needs an operator's word.
func (s *stage) recover(home, killed string) (word bool, err error) {
	if err := s.look(home); err != nil {
		return false, err
	}
	doctor, code, err := s.ask(home, "doctor", "--apply", "--output", "json")
	word = code == findings
	if word && err == nil {
		err = s.speak(home, doctor)
	}
	if err != nil || word && killed == "owner" || code != 0 && code != findings && code != noHome {
		return word, fmt.Errorf("doctor ends with %d: %s, %w", code, line(string(doctor)), err)
	}
	again := s.run(home)
	if out, err := exec.CommandContext(s.ctx, again[0], again[1:]...).CombinedOutput(); err != nil {
		return word, fmt.Errorf("the next run: %w: %s", err, line(string(out)))
	}
	if left := scene.Leftovers(home); len(left) > 0 {
		return word, fmt.Errorf("after the next run there is still %v", left)
	}
	return word, nil
}

// look lists the leases and shows each. A tree that fell early has not made a home.
func (s *stage) look(home string) error {
	out, code, err := s.ask(home, "list", "--output", "json")
	if err != nil || code == noHome {
		return err
	}
	var listed struct{ Leases []struct{ LeaseID string } }
	if err := json.Unmarshal(out, &listed); err != nil || code != 0 {
		return fmt.Errorf("list ends with %d: %s, %w", code, out, err)
	}
	for _, l := range listed.Leases {
		if out, code, err := s.ask(home, "show", l.LeaseID); err != nil || code != 0 {
			return fmt.Errorf("show ends with %d: %s, %w", code, out, err)
		}
	}
	return nil
}

// What the program ends with.
const (
	noHome   = 66
	findings = 69
)

func (s *stage) ask(home string, args ...string) (out []byte, code int, err error) {
	c := exec.CommandContext(s.ctx, s.program, append([]string{"--home", home}, args...)...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err = c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return append(out, said.Bytes()...), exit.ExitCode(), nil
	}
	return out, 0, err
}

// speak types what the doctor says is to be done about each finding.
func (s *stage) speak(home string, doctor []byte) error {
	var found struct {
		Findings []struct {
			LeaseID string
			Verdict struct{ Rule, Next string }
		}
	}
	if err := json.NewDecoder(bytes.NewReader(doctor)).Decode(&found); err != nil {
		return err
	}
	for _, f := range found.Findings {
		if f.Verdict.Rule != "no-proof" {
			return fmt.Errorf("lease %s is kept by %s", f.LeaseID, f.Verdict.Rule)
		}
		next := strings.ReplaceAll(f.Verdict.Next, "'…'", "'the sweep knows that the tree has ended'")
		c := exec.CommandContext(s.ctx, "sh", "-c", next)
		c.Env = append(os.Environ(), "PATH="+filepath.Dir(s.program)+":"+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", next, err, line(string(out)))
		}
	}
	return nil
}
