//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist/file"
	"containlease/tools/internal/scene"
)

// stage is where victims live and die: a directory that is removed in the end.
type stage struct {
	ctx           context.Context
	dir           string
	self, program string // this program and containlease
}

// injection is what strace does to one call of a victim.
type injection struct {
	*life
	call, what string // what: kill or error=...
	n          int
}

func (i injection) String() string {
	return fmt.Sprintf("%s: %s %s, call %d", i.name, i.call, i.what, i.n)
}

// trial is one victim and what was found afterwards.
type trial struct {
	fired  bool
	seen   []fsm.State
	broken []string
}

// inTrial gives do a directory of its own.
func (s *stage) inTrial(do func(dir string) error) (err error) {
	dir, err := os.MkdirTemp(s.dir, "trial-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return do(dir)
}

func (s *stage) strace(log string, flags []string, v visit) *exec.Cmd {
	flags = append(append([]string{"-o", log}, flags...), s.self)
	return exec.CommandContext(s.ctx, "strace", append(flags, v.args...)...)
}

// try runs a victim of one whole life under the injection, in a home of its own, and then everything that must work after
// that in fresh processes.
func (s *stage) try(i injection) (t trial, err error) {
	return t, s.inTrial(func(dir string) error {
		v, err := i.enter(s, dir)
		if err != nil {
			return err
		}
		defer v.leave()
		log := filepath.Join(dir, "strace")
		victim := s.strace(log, []string{"-e", "trace=" + i.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", i.call, i.what, i.n)}, v)
		var told, said bytes.Buffer
		victim.Stdout, victim.Stderr = &told, &said
		rerr := victim.Run()
		traced, err := os.ReadFile(log)
		if err != nil {
			return fmt.Errorf("%w: %s", err, said.String())
		}
		killed := bytes.Contains(traced, []byte("+++ killed by SIGKILL +++"))
		if t.fired = killed || bytes.Contains(traced, []byte("(INJECTED)")); !t.fired {
			return rerr
		}
		if bytes.Contains(said.Bytes(), []byte(scene.ErrDisagree.Error())) || bytes.Contains(said.Bytes(), []byte("panic: ")) {
			t.broken = append(t.broken, line(said.String()))
		}
		v.leave()
		t.judge(s, v, append(v.told, told.Bytes()...))
		return nil
	})
}

// judge looks at what a victim left, lets a fresh process inspect and recover it, and runs the next invocation.
func (t *trial) judge(s *stage, v visit, told []byte) {
	j, err := readJournal(told, len(told))
	if err == nil {
		err = v.audited()
	}
	if err != nil {
		t.broken = append(t.broken, err.Error())
		return
	}
	if _, err := os.Stat(filepath.Join(v.home, "leases")); err == nil {
		seen, broken := j.promises(v.home)
		t.seen, t.broken = append(t.seen, seen...), append(t.broken, broken...)
		if err := leaveNotes(v.home); err != nil {
			t.broken = append(t.broken, err.Error())
		}
		for _, args := range [][]string{{"list"}, {"doctor", "--apply"}} {
			t.must(exec.CommandContext(s.ctx, s.program, append([]string{"--home", v.home}, args...)...))
		}
	}
	t.must(exec.CommandContext(s.ctx, s.self, "cycle", v.home, fmt.Sprint(os.Getpid())))
	if left := scene.Leftovers(v.home); len(left) > 0 {
		t.broken = append(t.broken, fmt.Sprintf("after the next invocation there is still %v", left))
	}
}

// must runs a fresh process that has to succeed. No home is an answer too: the victim died before it had made one.
func (t *trial) must(c *exec.Cmd) {
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 66 {
		return
	}
	if err != nil {
		t.broken = append(t.broken, fmt.Sprintf("%s: %v: %s", strings.Join(c.Args[1:], " "), err, line(string(out))))
	}
}

// leaveNotes does the gate's last duty for the hosts that were played: they are dead, and had no children.
func leaveNotes(path string) error {
	names, err := filepath.Glob(filepath.Join(path, "leases", "*.json"))
	if err != nil || len(names) == 0 {
		return err
	}
	home, err := file.Open(path)
	if err != nil {
		return err
	}
	defer home.Close()
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		l, err := leasefile.DecodeFile(content)
		if err != nil {
			continue // reported already
		}
		owner := l.OwnedBy()
		note := leasefile.EmptyV1{LeaseID: l.ID(), Token: owner.Token,
			Gate: leasefile.Host{PID: owner.PID, BootID: owner.BootID, ProcessStartID: owner.ProcessStartID}}
		if h := l.(*leasefile.LeaseV2).Containment.Host; h != nil {
			note.Gate = *h
		}
		if err := home.WriteRecord("owners/"+l.ID()+".empty", note.AppendCanonical(nil), file.Volatile); err != nil {
			return err
		}
	}
	return nil
}
