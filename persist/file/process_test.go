//go:build linux || darwin || freebsd

package file

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"containlease/persist"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// The test binary is its own other process: children are told by the environment what to do.
const childEnv = "CONTAINLEASE_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childEnv); what != "" {
		if err := children[what](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, what+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var children = map[string]func(args []string) error{
	"create": func(args []string) error {
		h, err := Create(args[0], AllowAnyFilesystem())
		if err != nil {
			return err
		}
		return persist.Attempt{Key: uuid.NewString(), Op: persist.Create, Next: body(1, 900)}.Do(ctx, h.Store(), nil)
	},
	"claim": func(args []string) error { return hold(args, (*Home).Claim) },
	"seize": func(args []string) error { return hold(args, (*Home).Seize) },
	"probe": func(args []string) error {
		h, err := Open(args[0])
		if err != nil {
			return err
		}
		fmt.Println("ready")
		for range 3000 {
			got, err := h.Probe(args[1])
			if err != nil || got != Free {
				return fmt.Errorf("%v %w", got, err)
			}
		}
		return nil
	},
	"lock": func(args []string) error {
		h, err := Open(args[0])
		if err != nil {
			return err
		}
		if _, err := h.Lock(ctx, Exclusive, nil); err != nil {
			return err
		}
		fmt.Println("ready")
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	},
	"count": countUnderLock,
	"life":  lifeUntilKilled,
}

func hold(args []string, take func(*Home, string) (*Liveness, error)) error {
	h, err := Open(args[0])
	if err != nil {
		return err
	}
	if _, err := take(h, args[1]); err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// startChild starts this binary as another process. It ends with its standard input, at the latest with the test.
func startChild(t *testing.T, what string, args ...string) *exec.Cmd {
	t.Helper()
	c, _ := start(t, what, args...)
	return c
}

// startReady is startChild that waits until the child has said that it is ready.
func startReady(t *testing.T, what string, args ...string) *exec.Cmd {
	t.Helper()
	c, stdout := start(t, what, args...)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return c
}

func start(t *testing.T, what string, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), childEnv+"="+what)
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	require.NoError(t, err)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return c, stdout
}

// lifeUntilKilled takes a lease through its life and is killed at the n-th call to the system. It exits 0 if it gets to
// the end.
func lifeUntilKilled(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	tr := &trap{system: kernel{}}
	h, err := Create(args[0], func(o *options) { o.sys = tr }, AllowAnyFilesystem())
	if err != nil {
		return err
	}
	tr.watch(func(string) (error, bool) {
		if n--; n < 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Minute) // until the signal arrives
		}
		return nil, false
	})
	return life(h)
}

func life(h *Home) error {
	var live *Liveness
	under := func(m Mode) persist.Publish {
		return func(publish func() error) error {
			lock, err := h.Lock(ctx, m, nil)
			if err != nil {
				return err
			}
			defer lock.Unlock()
			return publish()
		}
	}
	err := under(Exclusive)(func() (err error) { live, err = h.Claim(keyA); return err })
	if err != nil {
		return err
	}
	if err := h.WriteRecord("owners/"+keyA+".json", body(1, 300), Volatile); err != nil {
		return err
	}
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1099), body(3, 1105)}
	if err := attempt(persist.Create, keyA, nil, v[0]).Do(ctx, h.Store(), under(Exclusive)); err != nil {
		return err
	}
	if err := h.WriteRecord("owners/"+keyA+".json", body(2, 300), Volatile); err != nil {
		return err
	}
	for i := range 3 {
		if err := attempt(persist.Replace, keyA, v[i], v[i+1]).Do(ctx, h.Store(), under(Shared)); err != nil {
			return err
		}
	}
	if err := attempt(persist.Remove, keyA, v[3], nil).Do(ctx, h.Store(), under(Shared)); err != nil {
		return err
	}
	return live.Retire()
}

// A process that is killed at any call leaves a whole record or none, a free lock, and only what Sweep takes away.
func TestKilledAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: about a hundred processes")
	}
	home := filepath.Join(fastDir(t), "home")
	h := create(t, home)
	for n := 0; ; n++ {
		err := startChild(t, "life", home, strconv.Itoa(n)).Wait()
		if err == nil {
			require.Greater(t, n, 50, "that is not a life")
			break
		}
		require.ErrorContains(t, err, "killed")
		holding, err := h.Probe(keyA)
		require.NoError(t, err)
		require.NotEqual(t, Held, holding)
		lock, err := h.Lock(ctx, Exclusive, nil)
		require.NoError(t, err)
		if c := content(t, h, keyA); c != nil {
			version := versionOf(c)
			require.Equal(t, body(version, len(c)), c)
			require.Equal(t, []int{900, 1100, 1099, 1105}[version], len(c))
			require.Equal(t, Free, holding, "a record without a lock file")
			live, err := h.Seize(keyA)
			require.NoError(t, err)
			next := body(4, 1300) // the next operation works, whatever lies about
			put(t, h, persist.Replace, keyA, c, next)
			put(t, h, persist.Remove, keyA, next, nil)
			require.NoError(t, live.Retire())
		}
		_, err = sweepAll(h)
		require.NoError(t, err)
		require.NoError(t, lock.Unlock())
		require.Empty(t, filesIn(t, h.leases.path), "killed at call %d", n)
		require.Empty(t, filesIn(t, h.owners.path), "killed at call %d", n)
	}
	require.Empty(t, filesIn(t, h.leases.path))
	require.Empty(t, filesIn(t, h.owners.path))
}
