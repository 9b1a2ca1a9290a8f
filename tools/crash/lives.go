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

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
)

// life is what a victim does with a home.
type life struct {
	name  string
	enter func(s *stage, dir string) (visit, error)
}

// lives: an invocation from acquire to release, and an operator's evening: the doctor, and a word about what it cannot prove.
var lives = []life{{"cycle", enterCycle}, {"tend", enterTend}}

// visit is one victim that is about to live.
type visit struct {
	home    string
	args    []string // what this program is called with
	told    []byte   // of its leases, before
	retired string   // the lease that may not go without a line in the audit log
	leave   func()   // ends what was started for it; may be called twice
}

func enterCycle(s *stage, dir string) (v visit, err error) {
	host := exec.CommandContext(s.ctx, "sleep", "600")
	if err := host.Start(); err != nil {
		return v, err
	}
	v.home = filepath.Join(dir, "home")
	v.args = []string{"cycle", v.home, fmt.Sprint(host.Process.Pid)}
	v.leave = func() { _ = host.Process.Kill(); _ = host.Wait() }
	return v, nil
}

func enterTend(s *stage, dir string) (v visit, err error) {
	v = visit{home: filepath.Join(dir, "home"), leave: func() {}}
	v.args = []string{"tend", v.home}
	c := exec.CommandContext(s.ctx, s.self, "desert", v.home)
	c.Stderr = os.Stderr
	if v.told, err = c.Output(); err != nil {
		return v, fmt.Errorf("leaving leases behind: %w", err)
	}
	j, err := readJournal(v.told, len(v.told))
	for id, s := range j.acked {
		if s == fsm.StateHostActive {
			v.retired = id
		}
	}
	return v, err
}

// desert HOME leaves two leases without an owner: one that the doctor can clear, and one that nobody can prove.
func desert(args []string) error {
	ctx := context.Background()
	host, err := hostOf(fmt.Sprint(os.Getpid()))
	if err != nil {
		return err
	}
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	told := tell(os.Stdout)
	for _, events := range [][]fsm.Event{{}, {fsm.HostStarting, fsm.HostStarted}} {
		h, err := reg.Acquire(ctx, identity, "")
		if err == nil && len(events) > 0 {
			err = h.Enclose(ctx, leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}, 0)
		}
		for _, ev := range events {
			if err == nil {
				err = h.Event(ctx, ev, host)
			}
		}
		if err != nil {
			return err
		}
		told("ack", h.ID(), h.State())
	}
	return nil
}

// tend HOME is the victim: it removes all leases, what can be proved as the doctor does, and the rest on a word.
func tend(args []string) error {
	ctx := context.Background()
	begin()
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer reg.Close()
	told := tell(os.Stdout)
	for i, err := range reg.List(ctx) {
		if err != nil {
			return err
		}
		told("try", i.ID, fsm.StateReleased)
	}
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: true})
	for _, r := range rows {
		err = errors.Join(err, r.Err)
		if !r.Removed && r.Err == nil {
			_, rerr := reg.Retire(ctx, r.ID, r.Digest, "the sweep knows that it is dead")
			err = errors.Join(err, rerr)
			r.Removed = rerr == nil
		}
		if r.Removed && r.Err == nil {
			told("ack", r.ID, fsm.StateReleased)
		}
	}
	return err
}

// audited holds the log against what is gone: every line is whole, and a word was written down before it was acted upon.
func (v visit) audited() error {
	content, err := os.ReadFile(filepath.Join(v.home, lease.AuditLog))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	noted := false
	for line := range bytes.Lines(content) {
		a, err := leasefile.DecodeAuditV1File(line)
		if err != nil {
			return fmt.Errorf("%s has a line that is not whole: %q: %w", lease.AuditLog, line, err)
		}
		noted = noted || a.Action == leasefile.AuditActionRetire && a.LeaseID != nil && *a.LeaseID == v.retired
	}
	_, err = os.Lstat(filepath.Join(v.home, "leases", v.retired+".json"))
	if v.retired != "" && errors.Is(err, os.ErrNotExist) && !noted {
		return fmt.Errorf("lease %s was retired, and %s does not say so", v.retired, lease.AuditLog)
	}
	return nil
}
