//go:build linux || darwin || freebsd

package lease_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// TestEveryLeaseCrash crashes a whole life, from acquire to release in a home that is there, before every call to the disk, in every way in which a kill or
// a power loss may leave it: the lease's state is the old or the new one, an acknowledged one is
// there, a killed owner's lease is judged, and after a boot the doctor clears it, twice is once, and the plugin starts.
func TestEveryLeaseCrash(t *testing.T) {
	x := crashLife(nil)
	require.NoError(t, x.Err)
	t.Logf("crash states explored: %d at %d moments, %d distinct", x.States, x.Points, x.Distinct)
	for n := 1; n <= 9; n++ {
		var syncs int
		x := crashLife(func(c memory.Call) error {
			if c.Op != "Sync" && c.Op != "SyncData" {
				return nil
			}
			if syncs++; syncs == n {
				return memory.ErrDropped
			}
			return nil
		})
		require.Error(t, x.Err, "sync %d of the 9 of a life can be left out and nobody sees it", n)
		require.LessOrEqual(t, syncs, 9)
	}
}

// life is what has to be true of the lease of a disk, whenever it is crashed.
type life struct {
	may []fsm.State
}

func (l *life) expect() string { return fmt.Sprint(l.may) }

// step takes the lease to a state: before it is acknowledged it may be there, afterwards it is.
func (l *life) step(to fsm.State, do func() error) error {
	l.may = append(l.may, to)
	err := do()
	if err == nil {
		l.may = []fsm.State{to}
	}
	return err
}

func (l *life) open(p *memory.Process, m process.Inspector) (*lease.Registry, error) {
	home, err := file.Create("/home", file.On(p))
	if err != nil {
		return nil, err
	}
	return lease.New(home.Store(), home, lease.WithInspector(m))
}

func crashLife(fault func(memory.Call) error) *memory.Explorer {
	x := &memory.Explorer{}
	l := &life{may: []fsm.State{fsm.StateAbsent}}
	p := memory.NewDisk().Process()
	reg, err := l.open(p, after(0, 0))
	if err != nil {
		x.Err = err
		return x
	}
	end := x.Follow(p, l.expect, func(after *memory.Disk) error {
		return l.recover(after.Process())
	}, fault)
	if err := l.play(reg); err != nil && x.Err == nil {
		x.Err = err
	}
	end()
	return x
}

func (l *life) play(reg *lease.Registry) error {
	ctx := context.Background()
	var h *lease.Handle
	if err := l.step(fsm.StateParentOwned, func() (err error) { h, err = reg.Acquire(ctx, simPlugin, ""); return err }); err != nil {
		return err
	}
	host := lease.HostOf(after(0, 0).identity(200))
	for _, s := range []struct {
		to   fsm.State
		args []any
		ev   fsm.Event
	}{
		{fsm.StateHostStarting, []any{host}, fsm.HostStarting},
		{fsm.StateHostActive, []any{host}, fsm.HostStarted},
		{fsm.StateCleanupComplete, nil, fsm.CleanupComplete},
		{fsm.StateAbsent, nil, fsm.Release},
	} {
		if err := l.step(s.to, func() error { return h.Event(ctx, s.ev, s.args...) }); err != nil {
			return err
		}
	}
	return reg.Close()
}

// successor is the machine seen by the n-th process, after a number of boots. Nobody else lives.
type successor struct {
	simulated
	n int64
}

func (s successor) Self() (process.Process, error) {
	return process.Process{Identity: s.identity(100 + s.n)}, nil
}

func (s successor) Status(id process.Identity, _ uint64) (process.Status, string) {
	if id == s.identity(100+s.n) {
		return process.Live, "it is the caller"
	}
	return process.Dead, "nobody else lives here"
}

func after(crashes, boots int) successor {
	return successor{simulated{fmt.Sprint("boot ", boots)}, int64(crashes)}
}

// recover looks as the next process of this boot, and then recovers as the doctor of the next one.
func (l *life) recover(p *memory.Process) error {
	ctx := context.Background()
	now, err := l.open(p, after(1, 0))
	if err != nil {
		return err
	}
	found := fsm.StateAbsent
	for i, err := range now.List(ctx) {
		if err = errors.Join(err, i.Problem); err != nil {
			return err
		}
		found = i.State
	}
	if !slices.Contains(l.may, found) {
		return fmt.Errorf("the lease is %s", found)
	}
	later, err := l.open(p, after(1, 1))
	if err != nil {
		return err
	}
	for again := range 2 {
		rows, err := later.Repair(ctx, lease.RepairOptions{Apply: true})
		for _, row := range rows {
			if err = errors.Join(err, row.Err); !row.Removed || again > 0 {
				return fmt.Errorf("the doctor leaves %s: %s, %w", row.State, row.Verdict.Rule, err)
			}
		}
		if err != nil {
			return err
		}
	}
	h, err := later.Acquire(ctx, simPlugin, "")
	if err != nil {
		return err
	}
	if err := errors.Join(h.Event(ctx, fsm.CleanupComplete), h.Release(ctx)); err != nil {
		return err
	}
	return errors.Join(now.Close(), later.Close())
}
