//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"github.com/google/uuid"
)

// doctors has two doctors, and two acquirers that want to be alone, meet at a lease whose owner is dead, so many times. The dead
// one goes exactly once, a living one never, and never are two admitted.
func doctors(ctx context.Context, home string, rounds int) error {
	dead, err := deadProcess()
	if err != nil {
		return err
	}
	var regs [4]*lease.Registry // each with locks of its own, as in four processes
	for i := range regs {
		if regs[i], err = lease.Open(ctx, home); err != nil {
			return err
		}
		defer regs[i].Close()
	}
	start := time.Now()
	var r meeting
	for range rounds {
		if err := r.round(ctx, regs, home, dead); err != nil {
			return fmt.Errorf("two doctors and two acquirers: %w", err)
		}
	}
	if left := scene.Leftovers(home); len(left) > 0 {
		return fmt.Errorf("two doctors and two acquirers left %v", left)
	}
	fmt.Printf("%d rounds of two doctors and two acquirers in %s: %d admitted, %d times held up, never two at a time; each dead lease removed once, no living one\n",
		rounds, time.Since(start).Round(time.Second), r.admitted.Load(), r.heldUp.Load())
	return nil
}

// meeting counts over all rounds.
type meeting struct{ inside, removed, admitted, heldUp atomic.Int64 }

func (m *meeting) round(ctx context.Context, regs [4]*lease.Registry, home string, dead process.Process) error {
	if err := plant(home, dead); err != nil {
		return err
	}
	m.removed.Store(0)
	var errs [4]error
	var all sync.WaitGroup
	for i, reg := range regs {
		all.Go(func() {
			if i < 2 {
				errs[i] = m.doctor(ctx, reg)
			} else {
				errs[i] = m.acquire(ctx, reg)
			}
		})
	}
	all.Wait()
	if n := m.removed.Load(); n != 1 {
		errs[0] = errors.Join(errs[0], fmt.Errorf("the dead lease was removed %d times", n))
	}
	return errors.Join(errs[:]...)
}

func (m *meeting) doctor(ctx context.Context, reg *lease.Registry) error {
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: true})
	for _, row := range rows {
		err = errors.Join(err, row.Err)
		if row.Removed {
			m.removed.Add(1)
		}
	}
	return err
}

// acquire tries until it is admitted, alone.
func (m *meeting) acquire(ctx context.Context, reg *lease.Registry) error {
	for {
		h, err := reg.Acquire(ctx, scene.Identity("plugin"), "", lease.Exclusive())
		if errors.Is(err, lease.ErrBlocked) {
			m.heldUp.Add(1)
			continue
		}
		if err != nil {
			return err
		}
		m.admitted.Add(1)
		if n := m.inside.Add(1); n != 1 {
			err = fmt.Errorf("%d are admitted at a time, each alone", n)
		}
		err = errors.Join(err, h.Event(ctx, fsm.CleanupComplete))
		m.inside.Add(-1)
		return errors.Join(err, h.Release(ctx))
	}
}

// deadProcess is the exact identity of a process that has ended.
func deadProcess() (p process.Process, err error) {
	c := exec.Command("sleep", "60")
	if err := c.Start(); err != nil {
		return p, err
	}
	p, err = process.New().Lookup(int64(c.Process.Pid))
	_ = c.Process.Kill()
	_ = c.Wait() // it was killed
	return p, err
}

// plant leaves a parent-owned lease as its dead owner would: with evidence, its lock free.
func plant(home string, dead process.Process) error {
	ns, err := process.New().Namespaces()
	if err != nil {
		return err
	}
	l := leasefile.LeaseV2{AcquiredAt: "2026-01-01T00:00:00.000Z", LeaseID: uuid.NewString(), RunID: uuid.NewString(),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusParentOwned}, Identity: scene.Identity("plugin"),
		Owner: leasefile.Owner{PID: dead.PID, BootID: dead.BootID, ProcessStartID: dead.StartID, Token: uuid.NewString()}}
	pid, clock := int64(ns.PID), int64(ns.Time)
	ev := leasefile.EvidenceV2{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "soak", Version: "1", PIDNamespace: &pid, TimeNamespace: &clock,
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}}
	return errors.Join(
		os.WriteFile(filepath.Join(home, "owners", l.LeaseID+".lock"), nil, 0o600),
		os.WriteFile(filepath.Join(home, "owners", l.LeaseID+".json"), ev.AppendCanonical(nil), 0o600),
		os.WriteFile(filepath.Join(home, "leases", l.LeaseID+".json"), l.AppendCanonical(nil), 0o600))
}
