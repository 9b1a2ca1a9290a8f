package host_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/cgroup"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// crash is an owner whose plugin has started and left a child in a session of its own; both ignore TERM.
type crash struct {
	t     *testing.T
	reg   *lease.Registry
	owner *exec.Cmd
	out   *bufio.Scanner
	gate  *process.Pidfd
	life  *lifeline
	left  int // the pid of the child, as it sees itself
}

const stubborn = `trap "" TERM; setsid sh -c 'echo $$; exec sleep 300' & wait; exec sleep 300`

func startCrash(t *testing.T, kind, script string, env ...string) *crash {
	t.Helper()
	available(t, kind)
	c := &crash{t: t, life: newLifeline(t)}
	home := filepath.Join(t.TempDir(), "home")
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	c.reg = reg
	c.owner = ownerCommand(t, home, script, append(env, "HOST_TEST_BOUNDARY="+kind, "HOST_TEST_LIFELINE=3")...)
	c.life.give(c.owner)
	c.out = begin(t, c.owner)
	require.True(t, c.out.Scan(), "the plugin did not start")
	c.left, err = strconv.Atoi(c.out.Text())
	require.NoError(t, err)
	c.gate, err = process.OpenPidfd(hostOf(t, c.find()).PID)
	require.NoError(t, err)
	t.Cleanup(func() { c.gate.Close() })
	return c
}

func (c *crash) find() lease.Inspection { return one(c.t, c.reg) }

func (c *crash) boundary() leasefile.Boundary {
	c.t.Helper()
	e := c.find().Evidence
	require.NotNil(c.t, e)
	return e.Boundary
}

func (c *crash) killOwner() {
	c.t.Helper()
	require.NoError(c.t, c.owner.Process.Kill())
	_ = c.owner.Wait()
}

func (c *crash) killGate() {
	c.t.Helper()
	require.NoError(c.t, c.gate.Signal(syscall.SIGKILL))
	require.NoError(c.t, c.gate.Wait(c.t.Context()))
}

// killBoth leaves the gate no moment without its owner.
func (c *crash) killBoth() {
	c.t.Helper()
	require.NoError(c.t, c.gate.Signal(syscall.SIGSTOP))
	c.killOwner()
	c.killGate()
}

// requireKept fails if the doctor removes anything.
func (c *crash) requireKept(o verdict.Outcome, rule string) {
	c.t.Helper()
	i := c.find()
	require.Equal(c.t, o, i.Verdict.Outcome, "%v", i.Words)
	require.Equal(c.t, rule, i.Verdict.Rule, "%v", i.Words)
	rows, err := c.reg.Repair(c.t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(c.t, err)
	require.Len(c.t, rows, 1)
	require.False(c.t, rows[0].Removed)
	require.NoError(c.t, rows[0].Err)
}

// requireCleared fails unless the doctor removes the lease on the boundary's proof, and everything beside it.
func (c *crash) requireCleared() {
	c.t.Helper()
	b := c.boundary()
	i := c.find()
	require.Equal(c.t, verdict.Gone, i.Verdict.Outcome, "%v", i.Words)
	require.Equal(c.t, "boundary-empty", i.Verdict.Rule)
	c.repair()
	empty(c.t, c.reg)
	if b.Path != "" {
		require.NoDirExists(c.t, b.Path)
	}
}

// repair is the doctor's removal.
func (c *crash) repair() {
	c.t.Helper()
	rows, err := c.reg.Repair(c.t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(c.t, err)
	require.Len(c.t, rows, 1)
	require.NoError(c.t, rows[0].Err)
	require.True(c.t, rows[0].Removed)
}

// endGroup ends what a test left in a control group, and removes it.
func (c *crash) endGroup() {
	c.t.Helper()
	g, err := cgroup.Open(lease.PlaceOf(c.boundary()))
	require.NoError(c.t, err)
	defer g.Close()
	require.NoError(c.t, g.Kill())
	ok, err := g.Await(patience)
	require.NoError(c.t, err)
	require.True(c.t, ok)
}

func TestTheOwnerIsKilledInEveryBoundary(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			require.Equal(t, verdict.Active, c.find().Verdict.Outcome)
			require.NoError(t, c.gate.Signal(syscall.SIGSTOP)) // it cannot clean up yet
			c.killOwner()
			c.requireKept(verdict.Orphan, "orphan")
			require.False(t, c.find().Facts.BoundaryEmpty)
			require.NoError(t, c.gate.Signal(syscall.SIGCONT))
			require.NoError(t, c.gate.Wait(t.Context()))
			c.life.requireCut()
			if kind == "process-group" {
				c.requireKept(verdict.Uncertain, "no-proof")
				return
			}
			c.requireCleared()
		})
	}
}

func TestOwnerAndGateAreKilledInEveryBoundary(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			c.killBoth()
			switch kind {
			case "pid-namespace": // the kernel killed the rest before the init was dead
				c.life.requireCut()
				c.requireCleared()
			case "cgroup-v2":
				c.life.requireWhole()
				c.requireKept(verdict.Orphan, "occupied")
				require.Equal(t, verdict.ActStop, c.find().Next.Action)
				require.NotEmpty(t, c.find().Life.Members)
				c.endGroup()
				c.life.requireCut()
				c.requireCleared()
			default:
				c.life.requireWhole()
				c.requireKept(verdict.Uncertain, "mark-seen")
				require.NotEmpty(t, c.find().Life.Carriers)
				killGroupOf(t, c)
				c.life.requireCut()
				c.requireKept(verdict.Uncertain, "no-proof") // it is gone, and nobody can prove it
			}
		})
	}
}

func TestOnlyTheGateIsKilledInEveryBoundary(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			c := startCrash(t, kind, stubborn)
			c.killGate()
			if kind == "subreaper" || kind == "process-group" {
				killGroupOf(t, c) // else the owner waits for the plugin's output
			}
			require.True(t, c.out.Scan())
			require.Contains(t, c.out.Text(), host.ErrUnsafe.Error())
			_ = c.owner.Wait()
			require.Equal(t, fsm.StateCleanupUnsafe, c.find().State)
			c.life.requireCut()
			if kind == "subreaper" || kind == "process-group" {
				c.requireKept(verdict.Uncertain, "no-proof")
				return
			}
			c.requireCleared()
		})
	}
}

// killGroupOf ends the survivor of stubborn, which is alone in a session of its own: the pid that it printed cannot have been
// given again while the lifeline is whole.
func killGroupOf(t *testing.T, c *crash) {
	t.Helper()
	c.life.requireWhole()
	require.NoError(t, syscall.Kill(-c.left, syscall.SIGKILL))
}
