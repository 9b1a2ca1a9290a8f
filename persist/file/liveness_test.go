//go:build linux || darwin || freebsd

package file

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func probe(t *testing.T, h *Home) Holding {
	t.Helper()
	holding, err := h.Probe(keyA)
	require.NoError(t, err)
	return holding
}

func TestLivenessInOneProcess(t *testing.T) {
	h, tr := newHome(t)
	require.Equal(t, Missing, probe(t, h))
	_, err := h.Seize(keyA)
	require.ErrorIs(t, err, persist.ErrNotExist)
	require.Empty(t, filesIn(t, h.owners.path), "Seize makes nothing")

	live, err := h.Claim(keyA)
	require.NoError(t, err)
	require.Equal(t, Held, probe(t, h))
	_, err = h.Claim(keyA)
	require.ErrorIs(t, err, persist.ErrExists)
	_, err = h.Seize(keyA)
	require.ErrorIs(t, err, ErrHeld)
	require.NoError(t, live.Check())
	require.Equal(t, Held, probe(t, h), "a refused taker let it go")

	require.NoError(t, live.Close())
	require.NoError(t, live.Close())
	require.ErrorIs(t, live.Check(), ErrLivenessLost)
	require.Equal(t, Free, probe(t, h))
	_, err = h.Claim(keyA)
	require.ErrorIs(t, err, persist.ErrExists, "an id never recurs")

	live, err = h.Seize(keyA)
	require.NoError(t, err)
	require.Equal(t, Held, probe(t, h))
	for _, name := range []string{".json", ".empty"} {
		require.NoError(t, h.WriteRecord("owners/"+keyA+name, body(1, 9), Volatile))
	}
	tr.watch(nil)
	require.NoError(t, live.Retire())
	require.Zero(t, tr.count("sync", "syncData"))
	require.NoError(t, live.Retire())
	require.Empty(t, filesIn(t, h.owners.path))
	require.Equal(t, Missing, probe(t, h))
}

func TestClaimLeavesNothingWhenItFails(t *testing.T) {
	for _, call := range []string{"own", "link", "stat"} {
		h, tr := newHome(t)
		tr.watch(at(call, syscall.ENOLCK, false))
		_, err := h.Claim(keyA)
		require.ErrorIs(t, err, syscall.ENOLCK)
		require.Empty(t, filesIn(t, h.owners.path))
		tr.watch(nil)
		live, err := h.Claim(keyA)
		require.NoError(t, err)
		require.NoError(t, live.Close())
	}
}

func TestLivenessLost(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.WriteFile(path, nil, 0o600)
		},
		"directory moved": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".aside") },
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHome(t)
			live, err := h.Claim(keyA)
			require.NoError(t, err)
			path := h.owners.join(keyA + lockSuffix)
			require.NoError(t, lose(path))
			require.ErrorIs(t, live.Check(), ErrLivenessLost)
			require.ErrorIs(t, live.Retire(), ErrLivenessLost)
			if name == "replaced" {
				require.FileExists(t, path, "somebody else's lock file is not ours to remove")
			}
		})
	}
}

// A lock file that is retired between open and lock is on no path any more.
func TestSeizeOfALockThatIsBeingRetired(t *testing.T) {
	for at, again := range map[string]bool{"stat": false, "own": false, "own, and made again": true} {
		h, tr := newHome(t)
		live, err := h.Claim(keyA)
		require.NoError(t, err)
		require.NoError(t, live.Close())
		path := h.owners.join(keyA + lockSuffix)
		tr.watch(func(call string) (error, bool) {
			if call == at || again && call == "own" {
				_ = os.Remove(path)
				if again {
					scribble(t, path, 0o600)
				}
			}
			return nil, false
		})
		_, err = h.Seize(keyA)
		require.ErrorIs(t, err, persist.ErrNotExist, at)
		tr.watch(nil)
		require.Equal(t, map[bool]Holding{false: Missing, true: Free}[again], probe(t, h))
	}
}

func TestLivenessAcrossProcesses(t *testing.T) {
	h, _ := newHome(t)
	for i, what := range []string{"claim", "seize", "seize"} {
		c := startReady(t, what, h.Dir(), keyA)
		require.Equal(t, Held, probe(t, h))
		_, err := h.Seize(keyA)
		require.ErrorIs(t, err, ErrHeld)
		if i == 1 {
			require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		} else {
			require.NoError(t, c.Process.Kill())
		}
		_ = c.Wait()
		require.Equal(t, Free, probe(t, h), "the holder is dead")
	}
}

// A free lock looks free to everybody who asks, however many ask at once, and can be taken meanwhile.
func TestProbesDisturbNobody(t *testing.T) {
	h, _ := newHome(t)
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	require.NoError(t, live.Close())
	var others []*exec.Cmd
	for range 3 {
		others = append(others, startReady(t, "probe", h.Dir(), keyA))
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 2000 {
				if got, err := h.Probe(keyA); err != nil || got != Free {
					t.Errorf("probe: %v %v", got, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, c := range others {
		require.NoError(t, c.Wait())
	}
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = h.Probe(keyA)
				}
			}
		})
	}
	for range 500 {
		live, err := h.Seize(keyA)
		require.NoError(t, err, "a probe made the lock look held")
		require.NoError(t, live.Close())
	}
	close(stop)
	wg.Wait()
}

// A child between fork and exec has a copy of every descriptor; what it has must not keep a lock.
func TestLocksGivenBackDespiteAForkedChild(t *testing.T) {
	h, _ := newHome(t)
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	forked, err := unix.Dup(live.fd)
	require.NoError(t, err)
	defer unix.Close(forked)
	require.NoError(t, live.Close())
	require.Equal(t, Free, probe(t, h))

	live, err = h.Seize(keyA)
	require.NoError(t, err)
	forked, err = unix.Dup(live.fd)
	require.NoError(t, err)
	defer unix.Close(forked)
	path := h.owners.join(keyA + lockSuffix)
	require.NoError(t, os.Link(path, path+".kept"))
	require.NoError(t, live.Retire())
	require.NoError(t, os.Rename(path+".kept", path))
	require.Equal(t, Free, probe(t, h))

	lock, err := h.Lock(ctx, Exclusive, nil)
	require.NoError(t, err)
	forked, err = unix.Dup(lock.file.fd)
	require.NoError(t, err)
	defer unix.Close(forked)
	require.NoError(t, lock.Unlock())
	other := create(t, h.Dir())
	lock, err = other.Lock(ctx, Exclusive, nil)
	require.NoError(t, err)
	require.NoError(t, lock.Unlock())
}

// No descriptor of a home is inherited by the programs that its process starts.
func TestDescriptorsAreNotInherited(t *testing.T) {
	h, _ := newHome(t)
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	defer live.Close()
	lock, err := h.Lock(ctx, Shared, nil)
	require.NoError(t, err)
	defer lock.Unlock()
	for name, fd := range map[string]int{"root": h.root.fd, "leases": h.leases.fd, "owners": h.owners.fd, "liveness": live.fd, "lock": lock.file.fd} {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		require.NoError(t, err)
		require.NotZero(t, flags&unix.FD_CLOEXEC, name)
	}
}
