package host_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// owner is this test binary as an owner: it runs a script under a lease in the home named by its environment.
func owner() int {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_OWNER"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	cmd := exec.Command("sh", "-c", os.Getenv("HOST_TEST_SCRIPT"))
	cmd.Stdout = os.Stdout
	opts := []host.Option{host.WithGrace(300 * time.Millisecond), host.AcceptUnproved()}
	if kind := os.Getenv("HOST_TEST_BOUNDARY"); kind != "" {
		opts = append(opts, host.WithBoundary(kind))
	}
	if os.Getenv("HOST_TEST_LIFELINE") != "" {
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")}
	}
	if _, err := run(ctx, h, cmd, opts...); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// startOwner starts an owner and returns it with what its plugin prints, line by line.
func startOwner(t *testing.T, home, script string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := ownerCommand(t, home, script, env...)
	return cmd, begin(t, cmd)
}

func ownerCommand(t *testing.T, home, script string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "HOST_TEST_OWNER="+home, "HOST_TEST_SCRIPT="+script), env...)
	return cmd
}

// begin starts an owner.
func begin(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return bufio.NewScanner(out)
}

// one returns the only lease of the home.
func one(t *testing.T, reg *lease.Registry) lease.Inspection {
	t.Helper()
	var all []lease.Inspection
	for i, err := range reg.List(t.Context()) {
		require.NoError(t, err)
		all = append(all, i)
	}
	require.Len(t, all, 1)
	return all[0]
}

func hostOf(t *testing.T, i lease.Inspection) leasefile.Host {
	t.Helper()
	h := i.Lease.(*leasefile.LeaseV2).Containment.Host
	require.NotNil(t, h)
	return *h
}

func TestTheOwnerIsKilled(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()

	// The plugin tells its own pid and that of a child in a session of its own; both ignore the end of the owner.
	cmd, out := startOwner(t, home, `trap "" TERM; setsid sh -c 'echo $$; exec sleep 300' & echo $$; while :; do sleep 1; done`)
	require.True(t, out.Scan())
	require.True(t, out.Scan())
	live := one(t, reg)
	require.Equal(t, fsm.StateHostActive, live.State)
	require.Equal(t, verdict.Active, live.Verdict.Outcome)
	require.Equal(t, "lock-held", live.Verdict.Rule)

	gate, err := process.OpenPidfd(hostOf(t, live).PID)
	require.NoError(t, err)
	defer gate.Close()
	require.NoError(t, gate.Signal(syscall.SIGSTOP)) // the gate cannot clean up yet
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()

	orphan := one(t, reg)
	require.Equal(t, verdict.Orphan, orphan.Verdict.Outcome, "%+v", orphan)
	_, err = reg.Acquire(t.Context(), identity, "")
	var blocked *lease.BlockedError
	require.ErrorAs(t, err, &blocked)
	require.Equal(t, orphan.Verdict, blocked.Lease.Verdict, "the same verdict everywhere")
	require.Equal(t, verdict.ActStop, blocked.Lease.Next.Action)
	rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.False(t, rows[0].Removed, "an orphan is never removed")

	require.NoError(t, gate.Signal(syscall.SIGCONT))
	require.NoError(t, gate.Wait(t.Context()))
	gone := one(t, reg)
	require.Equal(t, verdict.Gone, gone.Verdict.Outcome, "%+v", gone)
	require.Equal(t, "boundary-empty", gone.Verdict.Rule)
	_, err = reg.Acquire(t.Context(), identity, "")
	require.ErrorIs(t, err, lease.ErrBlocked, "gone is not complete: the doctor has the word")

	h, err := reg.Acquire(t.Context(), identity, "", lease.RecoverFirst())
	require.NoError(t, err)
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
	empty(t, reg)
}

func TestOwnerAndGateAreKilled(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()
	cmd, out := startOwner(t, home, `setsid sh -c 'echo $$; kill -STOP $$' & wait`, "HOST_TEST_BOUNDARY=subreaper")
	require.True(t, out.Scan())
	survivor, err := strconv.Atoi(strings.TrimSpace(out.Text()))
	require.NoError(t, err)
	left, err := process.OpenPidfd(int64(survivor))
	require.NoError(t, err)
	defer left.Close()
	defer func() { require.NoError(t, left.Signal(syscall.SIGKILL)) }()

	gate, err := process.OpenPidfd(hostOf(t, one(t, reg)).PID)
	require.NoError(t, err)
	defer gate.Close()
	require.NoError(t, gate.Signal(syscall.SIGSTOP))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.NoError(t, gate.Signal(syscall.SIGKILL))
	require.NoError(t, gate.Wait(t.Context()))
	require.True(t, alive(survivor), "the test wants a survivor")

	i := one(t, reg)
	require.Equal(t, verdict.Uncertain, i.Verdict.Outcome)
	require.Equal(t, "mark-seen", i.Verdict.Rule)
	require.Contains(t, i.Life.PIDs(), int64(survivor))
	rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.False(t, rows[0].Removed, "no proof, no removal")
	_, err = reg.Acquire(t.Context(), identity, "", lease.RecoverFirst())
	require.ErrorIs(t, err, lease.ErrBlocked)
}
