package host_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"containlease/lease/host"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// foreignNamespace is the pid of the init of a PID namespace that has nothing to do with any lease.
func foreignNamespace(t *testing.T) int {
	t.Helper()
	needsRoot(t)
	cmd := exec.Command("sh", "-c", "echo up; exec sleep 300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID, Pdeathsig: unix.SIGKILL}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.True(t, bufio.NewScanner(out).Scan())
	return cmd.Process.Pid
}

// A process that enters a foreign PID namespace and forks twice there is adopted by that namespace's init: the gate never hears of
// it. Only what encloses it without regard to parents has it still.
func TestAProcessThatEscapesIntoAForeignPIDNamespace(t *testing.T) {
	for kind, caught := range map[string]bool{"cgroup-v2": true, "pid-namespace": true, "subreaper": false, "process-group": false} {
		t.Run(kind, func(t *testing.T) {
			available(t, kind)
			init := foreignNamespace(t)
			reg, _ := open(t)
			h := acquire(t, reg)
			life := newLifeline(t)
			cmd := sh(fmt.Sprintf(`nsenter --target %d --pid sh -c '(setsid sleep 300 &)' 2>/dev/null; exit 3`, init))
			life.give(cmd)
			got, err := host.Run(t.Context(), h, cmd, host.WithBoundary(kind), host.AcceptUnproved(), host.WithGrace(50*time.Millisecond))
			require.NoError(t, err)
			require.Equal(t, 3, got.Code)
			if caught {
				life.requireCut()
			} else {
				life.requireWhole() // the limit that the documents name
			}
			require.NoError(t, h.Release(t.Context()))
			require.NoError(t, unix.Kill(init, unix.SIGKILL))
			life.requireCut()
			empty(t, reg)
		})
	}
}

// Whoever enters the lease's namespace from outside is ended with it.
func TestWhoeverEntersThePIDNamespaceIsEndedWithIt(t *testing.T) {
	needsRoot(t)
	c := startCrash(t, "pid-namespace", stubborn)
	guest := newLifeline(t)
	cmd := exec.Command("nsenter", "--target", strconv.FormatInt(hostOf(t, c.find()).PID, 10), "--pid", "sh", "-c", "echo up; exec sleep 300")
	guest.give(cmd)
	require.True(t, begin(t, cmd).Scan())
	c.killBoth()
	guest.requireCut()
	c.life.requireCut()
	c.requireCleared()
}

// leaver leaves its control group and goes on as SLEEP.
const leaver = `trap "" TERM; setsid sh -c 'echo $$ >AWAY/cgroup.procs; echo $$; exec SLEEP 300' & wait; exec sleep 300`

// A control group without its gate says nothing of somebody who left it, but its environment does.
func TestWhoLeftTheGroupOfAKilledGateIsSeen(t *testing.T) {
	needsRoot(t)
	c := startCrash(t, "cgroup-v2", strings.NewReplacer("AWAY", newGroup(t), "SLEEP", "sleep").Replace(leaver))
	c.killBoth()
	c.endGroup()
	c.life.requireWhole()
	c.requireKept(verdict.Uncertain, "mark-seen")
	require.Equal(t, fmt.Sprintf("the end of pid %d with the lease in the environment", c.left), c.find().Verdict.Missing[0])
	killGroupOf(t, c)
	c.life.requireCut()
	c.requireCleared()
}

// Who took another environment as well is not seen. The documents name this limit; a normal end does not have it (see "leaves its
// cgroup").
func TestWhoLeftGroupAndEnvironmentOfAKilledGateIsNotSeen(t *testing.T) {
	needsRoot(t)
	c := startCrash(t, "cgroup-v2", strings.NewReplacer("AWAY", newGroup(t), "SLEEP", "env -i sleep").Replace(leaver))
	environ := fmt.Sprintf("/proc/%d/environ", c.left)
	require.Eventually(t, func() bool { text, err := os.ReadFile(environ); return err == nil && len(text) == 0 }, patience, patience/2000)
	c.killBoth()
	c.endGroup()
	c.life.requireWhole()
	c.requireCleared()
}

// Who escaped from a subreaper, which then left its note, is seen all the same.
func TestWhoEscapedFromAGateThatLeftItsNoteIsSeen(t *testing.T) {
	init := foreignNamespace(t)
	c := startCrash(t, "subreaper", fmt.Sprintf(`nsenter --target %d --pid sh -c '(setsid sleep 300 &)' 2>/dev/null; echo $$; exec sleep 300`, init))
	c.killOwner()
	require.NoError(t, c.gate.Wait(t.Context()))
	c.life.requireWhole()
	c.requireKept(verdict.Uncertain, "mark-seen")
	require.NoError(t, unix.Kill(init, unix.SIGKILL))
	c.life.requireCut()
	c.requireCleared()
}
