//go:build linux || darwin || freebsd

package file

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLockAcrossProcesses(t *testing.T) {
	h, _ := newHome(t)
	holder := startReady(t, "lock", h.Dir())
	for _, mode := range []Mode{Shared, Exclusive} {
		short, cancel := context.WithCancelCause(ctx)
		reason := errors.New("the test has seen enough")
		var told []Wait
		_, err := h.Lock(short, mode, func(w Wait) { told = append(told, w); cancel(reason) })
		require.ErrorIs(t, err, reason)
		require.Len(t, told, 1)
		require.Equal(t, h.root.join(lockName), told[0].Path)
		require.Contains(t, []int{0, holder.Process.Pid}, told[0].PID)
		require.Contains(t, told[0].String(), told[0].Path)
	}
	require.NoError(t, holder.Process.Kill())
	_ = holder.Wait()
	lock, err := h.Lock(ctx, Exclusive, nil)
	require.NoError(t, err, "the lock of a dead process")
	require.NoError(t, lock.Unlock())
	require.NoError(t, lock.Unlock())
}

func TestLockHolderIsNamed(t *testing.T) {
	h, _ := newHome(t)
	holder := startReady(t, "lock", h.Dir())
	if _, err := os.Stat("/proc/locks"); err != nil {
		t.Skip("SKIPPED: this system does not tell: ", err)
	}
	require.Equal(t, holder.Process.Pid, lockHolder(inodeOf(t, h.root.join(lockName)).Inode))
}

func TestLockInOneProcess(t *testing.T) {
	h, _ := newHome(t)
	first, err := h.Lock(ctx, Shared, nil)
	require.NoError(t, err)
	second, err := h.Lock(ctx, Shared, nil)
	require.NoError(t, err, "shared beside shared")
	short, cancel := context.WithCancel(ctx)
	_, err = h.Lock(short, Exclusive, func(w Wait) { require.Equal(t, os.Getpid(), w.PID); cancel() })
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, first.Unlock())
	require.NoError(t, second.Unlock())
	_, err = h.Lock(short, Exclusive, nil)
	require.ErrorIs(t, err, context.Canceled, "a context that ended takes nothing")
	lock, err := h.Lock(ctx, Exclusive, nil)
	require.NoError(t, err, "whoever gave up waiting holds nothing")
	require.NoError(t, lock.Unlock())
	require.Zero(t, h.turns.inside)
}

// An exclusive holder is served between shared ones that never stop coming.
func TestSharedStreamDoesNotStarve(t *testing.T) {
	h, _ := newHome(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				lock, err := h.Lock(ctx, Shared, nil)
				if err != nil {
					t.Error(err)
					return
				}
				_ = lock.Unlock()
			}
		})
	}
	for range 200 {
		limit, cancel := context.WithTimeout(ctx, 10*time.Second)
		lock, err := h.Lock(limit, Exclusive, nil)
		require.NoError(t, err)
		require.NoError(t, lock.Unlock())
		cancel()
	}
	close(stop)
	wg.Wait()
}

// Whoever is admitted in the very moment in which it gives up keeps nobody out.
func TestGivingUpBesideAdmission(t *testing.T) {
	var gate turnstile
	queued := func() bool {
		gate.mu.Lock()
		defer gate.mu.Unlock()
		return len(gate.queue) == 1
	}
	for range 200 {
		require.NoError(t, gate.enter(ctx, Exclusive, func() {}))
		short, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() {
			if gate.enter(short, Exclusive, func() {}) == nil {
				gate.leave(Exclusive)
			}
		})
		for !queued() {
			runtime.Gosched()
		}
		gate.mu.Lock() // it cannot leave the queue before it is served
		cancel()
		gate.inside = 0
		gate.serve()
		gate.mu.Unlock()
		wg.Wait()
		require.Zero(t, gate.inside)
		require.Empty(t, gate.queue)
	}
}

func TestLockFailsAtOnce(t *testing.T) {
	for _, errno := range []error{syscall.ENOLCK, syscall.EACCES, syscall.EIO} {
		h, tr := newHome(t)
		tr.watch(at("flock", errno, false))
		_, err := h.Lock(ctx, Shared, func(Wait) { t.Error("it waited") })
		require.ErrorIs(t, err, errno)
		require.Equal(t, 1, tr.count("flock"))
		tr.watch(nil)
		lock, err := h.Lock(ctx, Exclusive, nil)
		require.NoError(t, err)
		require.NoError(t, lock.Unlock())
	}
}

func TestLockFileReplaced(t *testing.T) {
	h, _ := newHome(t)
	lock, err := h.Lock(ctx, Shared, nil)
	require.NoError(t, err)
	require.NoError(t, lock.Unlock())
	path := h.root.join(lockName)
	require.NoError(t, os.Rename(path, path+".aside"))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = h.Lock(ctx, Shared, nil)
	require.ErrorIs(t, err, ErrHomeReplaced, "this lock would keep nobody out")
	lock, err = h.Lock(ctx, Shared, nil)
	require.NoError(t, err)
	require.NoError(t, lock.Unlock())
}

// countUnderLock adds one to a number in a file, many times; without the lock some would be lost.
func countUnderLock(args []string) error {
	h, err := Open(args[0])
	if err != nil {
		return err
	}
	for range 200 {
		lock, err := h.Lock(ctx, Exclusive, nil)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(args[1])
		if err == nil {
			err = os.WriteFile(args[1], binary.BigEndian.AppendUint64(nil, 1+binary.BigEndian.Uint64(content)), 0o600)
		}
		if err = errors.Join(err, lock.Unlock()); err != nil {
			return err
		}
	}
	return nil
}

func TestLockExcludes(t *testing.T) {
	h, _ := newHome(t)
	number := filepath.Join(fastDir(t), "number")
	require.NoError(t, os.WriteFile(number, make([]byte, 8), 0o600))
	var others []*exec.Cmd
	for range 6 {
		others = append(others, startChild(t, "count", h.Dir(), number))
	}
	for _, c := range others {
		require.NoError(t, c.Wait())
	}
	content, err := os.ReadFile(number)
	require.NoError(t, err)
	require.EqualValues(t, 6*200, binary.BigEndian.Uint64(content))
}
