package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// act is a random life: an invocation, blows that it takes, and commands that are typed meanwhile.
func (r *round) act() {
	in100 := func(n int) bool { return r.r.IntN(100) < n }
	boundary := r.boundaries[r.r.IntN(len(r.boundaries))]
	grace := []string{"0s", "50ms", "300ms", "10s"}[r.r.IntN(4)]
	if in100(20) {
		calm := shape{Name: "p", Counts: true, Kids: []shape{{Name: "p0", Hop: true, Counts: true}}}
		r.healthy = r.run(r.other, r.boundaries[r.r.IntN(len(r.boundaries))], calm)
		r.grownUp(r.healthy)
	}
	v := r.run(r.self, boundary, grown(r.r), "--grace", grace)
	if in100(75) {
		r.grownUp(v)
	} else {
		r.pause(120)
	}
	r.blows(v)
	for range 2 + r.r.IntN(3) {
		if in100(25) {
			r.meanwhile(r.all[r.r.IntN(len(r.all))])
		} else {
			r.typeOne()
		}
		r.check()
	}
}

// pause is a random moment of at most so many milliseconds.
func (r *round) pause(most int) {
	time.Sleep(time.Duration(r.r.IntN(1000*most)) * time.Microsecond)
}

// blows are what owner and gate take: often the deaths of both.
func (r *round) blows(v *invocation) {
	switch r.r.IntN(10) {
	case 0: // none
	case 1, 2, 3:
		r.strike(v, "gate", unix.SIGKILL)
		r.strike(v, "owner", unix.SIGKILL)
	case 4, 5:
		r.strike(v, "owner", unix.SIGKILL)
		r.pause(30)
		r.strike(v, "gate", unix.SIGKILL)
	case 6:
		r.strike(v, "gate", unix.SIGSTOP)
		r.strike(v, "owner", unix.SIGKILL)
	case 7:
		r.strike(v, "owner", unix.SIGSTOP)
		r.strike(v, "gate", unix.SIGKILL)
		r.strike(v, "owner", unix.SIGCONT)
	default:
		for range 1 + r.r.IntN(3) {
			r.strike(v, []string{"owner", "gate"}[r.r.IntN(2)], signals[r.r.IntN(len(signals))])
			r.pause(40)
		}
	}
}

func (r *round) strike(v *invocation, at string, s unix.Signal) {
	if v != r.healthy {
		r.tell("%s: %s", v.runID[:4], v.strike(at, s))
	}
}

// meanwhile strikes while a command works.
func (r *round) meanwhile(v *invocation) {
	after := time.Duration(r.r.IntN(40_000)) * time.Microsecond
	at, s := []string{"owner", "gate"}[r.r.IntN(2)], signals[r.r.IntN(len(signals))]
	done := make(chan struct{})
	go func() {
		time.Sleep(after)
		r.strike(v, at, s)
		close(done)
	}()
	r.typeOne()
	<-done
}

// record is a lease as list prints it, as far as it matters here.
type record struct {
	LeaseID  string  `json:"leaseId"`
	RunID    string  `json:"runId"`
	Digest   *string `json:"digest"`
	PluginID string  `json:"pluginId"`
	Verdict  struct {
		Outcome, Rule, Next string
	} `json:"verdict"`
}

// listed is what list prints.
func (r *round) listed() []record {
	a := r.typed("--output", "json", "list")
	if a.code == exitNotFound { // no home yet
		return nil
	}
	var l struct{ Leases []record }
	if a.code != 0 {
		r.fault("list ends with %d", a.code)
	} else if err := json.Unmarshal([]byte(a.out), &l); err != nil {
		r.fault("list prints %q: %v", a.out, err)
	}
	return l.Leases
}

// typeOne types any command.
func (r *round) typeOne() {
	leases := r.listed()
	if len(leases) == 0 {
		r.again()
		return
	}
	l := leases[r.r.IntN(len(leases))]
	switch r.r.IntN(12) {
	case 0:
		r.typed("list")
	case 1:
		r.typed("show", l.LeaseID)
	case 2, 3:
		r.typed("doctor", "--apply")
	case 4, 5, 6:
		r.stop(l)
	case 7:
		r.next(l)
	case 8:
		r.wordOf(l)
	default:
		r.again()
	}
}

// again types run, as it is or with --recover, which must not start the plugin beside what is left
// of another.
func (r *round) again() {
	tree, flags := brief(r.r), []string{"--grace", "50ms"}
	if r.r.IntN(3) == 0 {
		tree = grown(r.r)
	}
	if r.r.IntN(2) == 0 {
		flags = append(flags, "--recover")
	}
	v := r.run(r.self, r.boundaries[r.r.IntN(len(r.boundaries))], tree, flags...)
	begun := func() bool { return v.ended() || r.checker.tree(v.runID) != nil }
	if !r.checker.await(stuckAfter, v.done, begun) {
		r.fault("run neither starts the plugin nor ends")
	}
	if v.ended() {
		r.tell("it ended with %s: %s", v.cmd.ProcessState, v.said())
		if r.checker.tree(v.runID) == nil {
			r.refused.Add(1)
		}
		r.judge("run", v.cmd.ProcessState.ExitCode(), v.said())
	}
}

// next types what list recommends, as it is printed, through a shell.
func (r *round) next(l record) {
	cmd := r.placed(exec.CommandContext(r.ctx, "sh", "-c", l.Verdict.Next))
	a := r.finished(cmd, l.Verdict.Next)
	if placeholder(l.Verdict.Next) {
		if a.code == 0 {
			r.fault("a reason that nobody gave is taken: %s", l.Verdict.Next)
		}
		return
	}
	if strings.Contains(a.said, mistyped) {
		r.fault("what is printed cannot be typed: %s", l.Verdict.Next)
	}
}

// placeholder reports whether somebody has to fill something in.
func placeholder(command string) bool {
	return strings.Contains(command, "…") || strings.Contains(command, "...")
}

// filled is a command with a reason that says nothing.
func filled(command string) string { return strings.ReplaceAll(command, "…", "nobody looked") }

// wordOf has a careless operator retire a lease without looking, or with one process in view of
// many.
func (r *round) wordOf(l record) {
	if l.Digest == nil {
		return
	}
	args := []string{"retire", l.LeaseID, "--digest", *l.Digest, "--reason", "nobody looked"}
	if v, t := r.invocationOf(l); t.alive() && r.r.IntN(2) == 0 {
		if all := r.checker.living(t); len(all) > 0 {
			v.named.Store(int64(pidOf(all[0].pidfd)))
			args = append(args, fmt.Sprintf("--despite-pid=%d", v.named.Load()))
		}
	}
	r.typed(args...)
}

// invocationOf is whose lease it is, and the tree, if one is known.
func (r *round) invocationOf(l record) (*invocation, *tree) {
	for _, v := range r.all {
		if v.runID == l.RunID {
			return v, r.checker.tree(v.runID)
		}
	}
	return nil, nil
}

// stop ends all that can be seen of an invocation whose owner is dead, and says so only if it is
// proved.
func (r *round) stop(l record) {
	v, t := r.invocationOf(l)
	settled := v != nil && r.known(v)
	code := r.typed("stop", l.LeaseID, "--grace", "50ms").code
	_, err := os.Stat(filepath.Join(r.home, "leases", l.LeaseID+".json"))
	if code == 0 && !errors.Is(err, os.ErrNotExist) {
		r.fault("stop ends with 0, and the lease is there")
	}
	if !settled || code != 0 && code != exitBlocked || !v.ended() {
		return
	}
	for _, m := range r.checker.living(t) {
		if v.plain(m) {
			r.fault("stop ends with %d, and %s, which can be seen, lives: %s", code, m.Name, r.census(v))
			return
		}
	}
}
