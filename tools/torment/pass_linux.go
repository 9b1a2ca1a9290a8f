package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// passOn ends owners and gates, and the trees too where nobody is to live, and gives all their
// numbers to strangers. stay: who is taken for the owner has to live, or the tree could not.
func (t *typing) passOn(stay bool) {
	var numbers []int
	for _, v := range t.all {
		v.look()
		numbers = append(numbers, v.numbers()...)
		tree := t.checker.tree(v.runID)
		if t.way == toDead && tree != nil {
			for _, m := range t.checker.living(tree) {
				numbers = append(numbers, pidOf(m.pidfd))
			}
		}
		if stay {
			t.strike(v, "gate", unix.SIGKILL)
			continue
		}
		v.lost.Store(v.lost.Load() || len(v.gates) > 0)
		t.must(v.finish())
		if t.way == toDead && tree != nil {
			t.must(t.checker.end(tree))
		}
	}
	t.regroup()
	for _, pid := range numbers {
		t.pass(pid)
	}
}

// numbers are those of owner and gates.
func (v *invocation) numbers() []int {
	all := []int{v.cmd.Process.Pid}
	for _, g := range v.gates {
		all = append(all, g.pid)
	}
	return all
}

// pass gives one number to a stranger.
func (t *typing) pass(pid int) {
	b, err := stranger(t.self, pid)
	switch {
	case errors.Is(err, errTaken):
		t.tell("%v", err)
	case err != nil:
		t.must(err)
	default:
		t.passed++
		t.strangers = append(t.strangers, b)
		t.tell("pid %d is a stranger now", pid)
	}
}

// regroup gives the names of empty control groups to strangers.
func (t *typing) regroup() {
	for _, g := range t.groups() {
		if os.Remove(g) != nil { // somebody lives in it
			continue
		}
		t.must(os.Mkdir(g, 0o755))
		fd, err := unix.Open(g, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		t.must(err)
		cmd := exec.Command(t.self, "stand")
		cmd.Env = append(os.Environ(), calm)
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
		b, err := attend(cmd)
		t.must(err)
		_ = unix.Close(fd)
		if b != nil {
			t.strangers = append(t.strangers, b)
			t.tell("a stranger, pid %d, is in a new group of the name %s", b.pid(), g)
		}
	}
}

// groups are the control groups of this round's invocations.
func (r *round) groups() []string {
	if r.group == nil {
		return nil
	}
	groups, err := filepath.Glob(filepath.Join(r.group.Place().Path, "*", "cgroup.procs"))
	r.must(err)
	for i, g := range groups {
		groups[i] = filepath.Dir(g)
	}
	return groups
}
