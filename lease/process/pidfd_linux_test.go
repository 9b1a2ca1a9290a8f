package process

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestPidfdOfAChild(t *testing.T) {
	c := start(t, "idle")
	p := c.pidfd()
	require.Equal(t, c.process().Inode, p.Inode())
	exited, err := p.Exited()
	require.NoError(t, err)
	require.False(t, exited)
	require.NoError(t, p.Signal(0))

	require.NoError(t, p.Signal(syscall.SIGTERM))
	require.NoError(t, p.Wait(t.Context()))
	exited, err = p.Exited()
	require.NoError(t, err)
	require.True(t, exited)
	require.NoError(t, p.Signal(syscall.SIGTERM), "a zombie takes it in silence")

	c.end()
	require.Equal(t, syscall.SIGTERM, c.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	require.ErrorIs(t, p.Signal(0), ErrNotFound)
	require.NoError(t, p.Wait(t.Context()), "reaped is ended too")
	_, err = OpenPidfd(c.pid())
	require.ErrorIs(t, err, ErrNotFound)
}

func TestPidfdWaitsAreIndependent(t *testing.T) {
	c := start(t, "idle")
	p := c.pidfd()
	cause := errors.New("changed my mind")
	var waits sync.WaitGroup
	patient := make([]error, 4)
	for i := range patient {
		waits.Go(func() { patient[i] = p.Wait(t.Context()) })
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := make(chan error)
	go func() { impatient <- p.Wait(ctx) }()
	cancel(cause)
	require.ErrorIs(t, <-impatient, cause)
	require.ErrorIs(t, p.Wait(ctx), cause, "cancelled before")

	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	require.ErrorIs(t, p.Wait(short), context.DeadlineExceeded)

	require.NoError(t, p.Signal(syscall.SIGKILL))
	waits.Wait()
	require.NoError(t, errors.Join(patient...))
}

// The leader thread's end wakes the waiter, but it is not the process's.
func TestPidfdWaitsForAllThreads(t *testing.T) {
	c := start(t, "leader")
	p := c.pidfd()
	exited, err := p.Exited()
	require.NoError(t, err)
	require.False(t, exited)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.Wait(ctx), context.DeadlineExceeded)
	require.NoError(t, c.stdin.Close())
	require.NoError(t, p.Wait(t.Context()))
}

func TestPidfdClosed(t *testing.T) {
	p, err := OpenPidfd(int64(os.Getpid()))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	_, err = p.Exited()
	require.ErrorIs(t, err, os.ErrClosed)
	require.ErrorIs(t, p.Signal(0), os.ErrClosed)
	require.ErrorIs(t, p.Wait(t.Context()), os.ErrClosed)
	require.ErrorIs(t, p.Close(), os.ErrClosed)
}

func TestPidfdOfNoProcess(t *testing.T) {
	for _, pid := range []int64{-1, 0, maxPID + 1, 1<<32 + 1} {
		_, err := OpenPidfd(pid)
		require.ErrorIs(t, err, ErrNotFound, "pid %d", pid)
	}
}

func TestInodeOnlyOnPidfs(t *testing.T) {
	fd, err := unix.Open("/proc/self/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer func() { _ = unix.Close(fd) }()
	require.Zero(t, pidfsInode(fd))
}

func TestInspectorIsSafeForConcurrentUse(t *testing.T) {
	i := New()
	self, err := i.Self()
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if status, why := i.Status(self.Identity, self.Inode); status != Live {
					t.Error(status, why)
				}
			}
		})
	}
	all.Wait()
}
