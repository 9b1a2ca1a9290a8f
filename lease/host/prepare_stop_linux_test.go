package host_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// begun starts the prepared command and waits for a line of its output.
func begun(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 1)
	_, err = io.ReadFull(out, line)
	require.NoError(t, err, "the plugin did not start")
}

func TestAKilledFrontIsARequestToStop(t *testing.T) {
	ways := map[string]func(*exec.Cmd) error{
		"kill":       func(cmd *exec.Cmd) error { return cmd.Process.Kill() },
		"kill group": func(cmd *exec.Cmd) error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) },
		"stopped":    func(cmd *exec.Cmd) error { _ = cmd.Process.Signal(unix.SIGSTOP); return cmd.Process.Kill() },
	}
	eachKind(t, func(t *testing.T, kind string) {
		for name, kill := range ways {
			if kind != "subreaper" && name != "kill" {
				continue // the front is the same in all
			}
			for script, code := range map[string]int{stubborn: 128 + 9, `trap "exit 3" TERM; (setsid sleep 300 &); echo go; while :; do sleep 0.02; done`: 3} {
				t.Run(fmt.Sprintf("%s/%d", name, code), func(t *testing.T) {
					reg, _ := open(t)
					h := acquire(t, reg)
					life := newLifeline(t)
					cmd := sh(script)
					cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
					life.give(cmd)
					p := prepare(t, h, kind, cmd)
					begun(t, cmd)
					require.NoError(t, kill(cmd))
					require.Error(t, cmd.Wait())
					require.Equal(t, unix.SIGKILL, statusOf(cmd).Signal())
					got, err := p.Finish(t.Context())
					require.NoError(t, err)
					require.Equal(t, code, got.Code)
					require.Equal(t, fsm.StateCleanupComplete, h.State())
					life.requireCut()
					require.NoError(t, h.Release(t.Context()))
					empty(t, reg)
				})
			}
		}
	})
}

func TestCancelAndTheEndOfAContextStopThePlugin(t *testing.T) {
	stop := map[string]func(*host.Prepared, context.CancelFunc) (host.Result, error){
		"cancel": func(p *host.Prepared, _ context.CancelFunc) (host.Result, error) { return p.Cancel() },
		"prepare's context": func(p *host.Prepared, end context.CancelFunc) (host.Result, error) {
			end()
			return p.Finish(context.Background())
		},
		"finish's own context": func(p *host.Prepared, _ context.CancelFunc) (host.Result, error) {
			ctx, end := context.WithCancel(context.Background())
			end()
			return p.Finish(ctx)
		},
	}
	for name, f := range stop {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			cmd := sh(`trap "exit 4" TERM; echo go; while :; do sleep 0.02; done`)
			p, err := host.Prepare(ctx, h, cmd, host.WithBoundary("subreaper"))
			require.NoError(t, err)
			begun(t, cmd)
			got, err := f(p, end)
			require.NoError(t, err)
			require.Equal(t, 4, got.Code)
			require.EqualError(t, cmd.Wait(), "exit status 4")
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

func TestSignalsToTheFrontReachThePluginOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		reg, _ := open(t)
		h := acquire(t, reg)
		var out bytes.Buffer
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		cmd := sh(`trap "echo int" INT; trap "echo usr1; echo >&3" USR1; trap "echo term; exit 9" TERM; echo >&3; while :; do sleep 0.02; done`)
		cmd.Stdout, cmd.ExtraFiles = &out, []*os.File{w}
		p := prepare(t, h, kind, cmd)
		require.NoError(t, cmd.Start())
		for _, sig := range []os.Signal{unix.SIGUSR1, unix.SIGTERM} {
			_, err = r.Read(make([]byte, 1))
			require.NoError(t, err)
			require.NoError(t, cmd.Process.Signal(sig))
		}
		require.EqualError(t, cmd.Wait(), "exit status 9")
		require.Equal(t, "usr1\nterm\n", out.String())
		_, err = p.Finish(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
	})
}

// The front is killed while its gate waits to be opened: the plugin does not run at all.
func TestAFrontThatIsKilledBeforeTheGateOpens(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		starting, killed := make(chan struct{}), make(chan struct{})
		reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"), lease.WithObserver(func(o lease.Observation) {
			if o.Kind == lease.Moved && o.Event == fsm.HostStarting {
				close(starting)
				<-killed
			}
		}))
		require.NoError(t, err)
		defer reg.Close()
		h := acquire(t, reg)
		ran := filepath.Join(t.TempDir(), "ran")
		cmd := exec.Command("touch", ran)
		p := prepare(t, h, kind, cmd)
		require.NoError(t, cmd.Start())
		<-starting
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		close(killed)
		got, err := p.Finish(t.Context())
		require.ErrorIs(t, err, unix.ECANCELED)
		require.False(t, got.Started)
		require.NoFileExists(t, ran)
		require.NoError(t, h.Release(t.Context()))
		empty(t, reg)
	})
}

func TestAFrontThatIsKilledBeforeItHasAGate(t *testing.T) {
	for said, does := range map[string]string{"nothing": "", "its first word": `printf 'F\000\000\000\002{}' >&3; `} {
		t.Run(said, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			slow := filepath.Join(t.TempDir(), "slow")
			require.NoError(t, os.WriteFile(slow, []byte("#!/bin/sh\n"+does+"echo; exec sleep 300\n"), 0o755))
			cmd := exec.Command("true")
			p, err := host.Prepare(t.Context(), h, cmd, host.WithGate(slow))
			require.NoError(t, err)
			begun(t, cmd)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())
			_, err = p.Finish(t.Context())
			require.ErrorIs(t, err, host.ErrNeverStarted)
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

func TestAKilledGateBehindAFrontIsNoProof(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	cmd := sh(`kill -KILL $PPID; exec sleep 300`)
	p := prepare(t, h, "subreaper", cmd)
	require.EqualError(t, cmd.Run(), "exit status 70")
	_, err := p.Finish(t.Context())
	require.ErrorIs(t, err, host.ErrUnsafe)
	require.Equal(t, fsm.StateCleanupUnsafe, h.State())
	require.NoError(t, h.Close())
}

// inheritsGate is an owner that is an init to its orphans, as in a container: a gate whose front has ended becomes its child.
func inheritsGate() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	reg, err := lease.Open(context.Background(), os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	h, err := reg.Acquire(context.Background(), identity, "")
	if err != nil {
		return err
	}
	cmd := sh(`trap "" TERM; (setsid sleep 300 &) ; echo; exit 0`)
	p, err := host.Prepare(context.Background(), h, cmd, shortly, host.WithBoundary("subreaper"))
	if err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return err
	}
	if _, err := p.Finish(context.Background()); err != nil {
		return err
	}
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != unix.ECHILD {
		return fmt.Errorf("a child is left: %v", err)
	}
	return h.Release(context.Background())
}

func TestNoDeadGateIsLeftToAnInit(t *testing.T) {
	require.NoError(t, as("inherits-gate", "HOST_TEST_HOME="+filepath.Join(t.TempDir(), "home")).Run())
}

func TestTheOwnerOfAPreparedCommandIsKilled(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		c := startCrash(t, kind, stubborn, "HOST_TEST_PREPARE=1")
		c.killOwner()
		require.NoError(t, c.gate.Wait(t.Context()))
		c.life.requireCut()
		if kind == "process-group" {
			c.requireKept(verdict.Uncertain, "no-proof")
			return
		}
		c.requireCleared()
	})
}
