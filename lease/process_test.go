package lease_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// open opens a home with the real questions about real processes.
func open(dir string) (*lease.Registry, error) {
	return lease.Open(context.Background(), dir, lease.WithHome(file.AllowAnyFilesystem()))
}

// cycles is a helper process: n whole lives of a lease, a line for every step.
func cycles(dir, n string) int {
	r, err := open(dir)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	self, err := process.New().Self()
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	other := self.Identity
	other.StartID = digest("somebody else")
	rounds, _ := strconv.Atoi(n)
	for i := range rounds {
		host := lease.HostOf([]process.Identity{self.Identity, other}[i%2]) // one that lives, one that is dead
		if err := cycle(r, host); err != nil {
			fmt.Println("error", err)
			return 1
		}
	}
	return 0
}

func cycle(r *lease.Registry, host any) error {
	ctx := context.Background()
	h, err := r.Acquire(ctx, identityOf("acme"), "")
	if err != nil {
		return err
	}
	fmt.Println(h.ID(), h.State())
	for _, ev := range path[fsm.StateReleased] {
		var args []any
		if ev == fsm.HostStarting || ev == fsm.HostStarted {
			args = append(args, host)
		}
		if err := h.Event(ctx, ev, args...); err != nil {
			return err
		}
		fmt.Println(h.ID(), h.State())
	}
	return nil
}

// helper starts this binary as another process.
func helper(t testing.TB, dir string, n int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir, strconv.Itoa(n))
	cmd.Args = []string{os.Args[0], dir, strconv.Itoa(n)}
	cmd.Env = append(os.Environ(), helperVar+"=cycles", "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = io.Copy(io.Discard, out); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// TestTwoProcesses run 200 invocations each of the same plugin: all succeed, and nothing is left.
func TestTwoProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("400 real invocations")
	}
	dir := filepath.Join(t.TempDir(), "home")
	start := time.Now()
	a, outA := helper(t, dir, 200)
	b, outB := helper(t, dir, 200)
	released := 0
	for _, out := range []*bufio.Scanner{outA, outB} {
		for out.Scan() {
			require.NotContains(t, out.Text(), "error")
			if strings.HasSuffix(out.Text(), " released") {
				released++
			}
		}
	}
	require.NoError(t, a.Wait())
	require.NoError(t, b.Wait())
	require.Equal(t, 400, released)
	t.Logf("400 invocations by two processes: %v, %v each", time.Since(start), time.Since(start)/400*2)
	require.Empty(t, names(t, dir+"/leases"))
	require.Empty(t, names(t, dir+"/owners"))
}

// TestKilledOwner kills a real owner somewhere: whatever it leaves is a whole lease with the right verdict, and what
// it leaves beside one is gone with the next acquire.
func TestKilledOwner(t *testing.T) {
	dir := filepath.Join(fastDir(t), "home")
	r, err := open(dir)
	require.NoError(t, err)
	defer r.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	found := map[string]int{}
	for range 60 {
		cmd, out := helper(t, dir, 1000)
		for range 1 + rng.IntN(13) {
			require.True(t, out.Scan())
			require.NotContains(t, out.Text(), "error")
		}
		time.Sleep(time.Duration(rng.IntN(300)) * time.Microsecond) // not to wait for anything: to strike inside a step
		require.NoError(t, cmd.Process.Kill())
		for out.Scan() { // nothing is left to be said before it is waited for
		}
		require.Error(t, cmd.Wait())
		found[judge(t, r, dir)]++
	}
	t.Log(found)
}

// judge looks at what a killed owner left, checks it, and clears it. It returns the state that was found.
func judge(t *testing.T, r *lease.Registry, dir string) string {
	t.Helper()
	state := "nothing"
	admit, removable := true, true
	for i, err := range r.List(t.Context()) {
		require.NoError(t, err)
		require.NoError(t, i.Problem, "never a malformed file")
		require.Equal(t, "nothing", state, "at most one lease")
		state = string(i.State)
		removable = i.State != fsm.StateHostActive
		admit = i.State == fsm.StateCleanupComplete
		want := verdict.Gone
		if !removable {
			want = verdict.Uncertain
		}
		require.Equal(t, want, i.Verdict.Outcome, "%+v", i.Facts)
	}
	h, err := r.Acquire(t.Context(), identityOf("acme"), "")
	require.Equal(t, admit, err == nil, "%v", err)
	if err != nil {
		require.ErrorIs(t, err, lease.ErrBlocked)
	} else {
		require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
		require.NoError(t, h.Release(t.Context()))
	}
	rows, err := r.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	for _, row := range rows {
		require.NoError(t, row.Err)
		require.Equal(t, removable, row.Removed)
		if !row.Removed { // only a reboot or the boundary's proof would clear it
			require.NoError(t, os.Remove(filepath.Join(dir, "leases", row.ID+".json")))
		}
	}
	h, err = r.Acquire(t.Context(), identityOf("acme"), "")
	require.NoError(t, err)
	for _, name := range append(names(t, dir+"/leases"), names(t, dir+"/owners")...) {
		require.Contains(t, name, h.ID(), "a stray file")
	}
	require.NoError(t, errors.Join(h.Event(t.Context(), fsm.CleanupComplete), h.Release(t.Context())))
	return state
}
