package host_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const losesLeader = "loses its leader"

// init keeps main on the leader thread, where that is to end.
func init() {
	if os.Getenv("HOST_TEST_HOW") == losesLeader {
		runtime.LockOSThread()
	}
}

// ladderOwner acquires, comes into the condition HOST_TEST_HOW, says "up", and stays.
func ladderOwner() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGUSR1)
	switch os.Getenv("HOST_TEST_HOW") {
	case "closes":
		if err := h.Close(); err != nil {
			return err
		}
		if err := reg.Close(); err != nil {
			return err
		}
	case "execs":
		return becomesAnother()
	case "execs in the middle":
		failed := make(chan error, 1)
		go func() { <-asked; failed <- becomesAnother() }()
		cmd := sh(`trap "" TERM; setsid sleep 300 & kill -USR1 ` + strconv.Itoa(os.Getpid()) + `; wait; exec sleep 300`)
		if _, err := host.Run(ctx, h, cmd, host.WithBoundary("subreaper"), host.WithGrace(0)); err != nil {
			return err
		}
		return <-failed
	case losesLeader:
		go upWithoutLeader()
		_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // this thread's, not exit_group
	}
	fmt.Println("up")
	<-asked
	return nil
}

// becomesAnother replaces this process, whose descriptors are gone then, and so its locks.
func becomesAnother() error {
	return syscall.Exec("/bin/sh", []string{"sh", "-c", "echo up; exec sleep 300"}, os.Environ())
}

// startLadderOwner returns an owner that is up, and its home.
func startLadderOwner(t *testing.T, how string) (*exec.Cmd, *lease.Registry) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	cmd := as("ladder-owner", "HOST_TEST_HOME="+home, "HOST_TEST_HOW="+how)
	out := begin(t, cmd)
	require.True(t, out.Scan())
	require.Equal(t, "up", out.Text())
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	return cmd, reg
}

// endUnreaped kills, and leaves a zombie.
func endUnreaped(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	p, err := process.OpenPidfd(int64(cmd.Process.Pid))
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Signal(syscall.SIGKILL))
	require.NoError(t, p.Wait(t.Context()))
}

func stop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	var ws unix.WaitStatus
	_, err := unix.Wait4(cmd.Process.Pid, &ws, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, ws.Stopped())
}

// ladder has real owners in odd conditions, and what everybody says of them.
var ladder = map[string]struct {
	how     string
	then    func(*testing.T, *exec.Cmd)
	rule    string
	acquire string
	word    string // about the owner
	cleared bool   // the doctor removes it as it stands; else once the owner has ended
}{
	"at work":                               {how: "waits", rule: "lock-held", acquire: "admits", word: "start time equal|inode equal"},
	"stopped":                               {how: "waits", then: stop, rule: "lock-held", acquire: "admits", word: "stopped"},
	"without its leader thread":             {how: losesLeader, rule: "lock-held", acquire: "admits", word: "leader thread ended"},
	"closed its handle and did not release": {how: "closes", rule: "lock-held", acquire: "admits", word: "equal"},
	"a zombie":                              {how: "waits", then: endUnreaped, rule: "never-started", acquire: "blocked-unverifiable", word: "zombie", cleared: true},
	"replaced itself by exec":               {how: "execs", rule: "abandoned", acquire: "blocked-unverifiable", word: "equal", cleared: true},
	"replaced itself beside its plugin":     {how: "execs in the middle", rule: "abandoned", acquire: "blocked-unverifiable", word: "equal", cleared: true},
}

func TestOwnersInOddConditions(t *testing.T) {
	for name, tt := range ladder {
		t.Run(name, func(t *testing.T) {
			cmd, reg := startLadderOwner(t, tt.how)
			if tt.then != nil {
				tt.then(t, cmd)
			}
			if tt.how == "execs in the middle" { // its gate saw the end of the socket, and ends what is left
				gate, err := process.OpenPidfd(hostOf(t, one(t, reg)).PID)
				if err == nil {
					require.NoError(t, gate.Wait(t.Context()))
					require.NoError(t, gate.Close())
				}
			}
			a, err := askAll(t.Context(), reg)
			require.NoError(t, err)
			require.Equal(t, tt.rule, a.found.Verdict.Rule, "%v", a.found.Words)
			require.Equal(t, tt.acquire, a.acquire)
			require.Regexp(t, tt.word, a.found.Words[0])
			if !tt.cleared {
				require.False(t, removes(t, reg))
				require.NoError(t, cmd.Process.Kill())
				_ = cmd.Wait()
			}
			require.True(t, removes(t, reg))
			empty(t, reg)
		})
	}
}

// upWithoutLeader says "up" once the leader thread has ended, and keeps the process.
func upWithoutLeader() {
	for {
		stat, err := os.ReadFile("/proc/self/stat")
		if err == nil && bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z")) {
			break
		}
		runtime.Gosched()
	}
	fmt.Println("up")
	for {
		_ = unix.Pause()
	}
}
