package host_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// asking are the ways in which the grace begins while the plugin lives.
var asking = map[string]func(cancel func(), signals chan<- os.Signal){
	"the context ends":  func(cancel func(), _ chan<- os.Signal) { cancel() },
	"TERM is passed on": func(_ func(), s chan<- os.Signal) { s <- unix.SIGTERM },
	"HUP is passed on":  func(_ func(), s chan<- os.Signal) { s <- unix.SIGHUP },
}

// TestGraceIsTheTimeBetweenAskingAndKilling: nothing is killed before it is over, and everything then.
func TestGraceIsTheTimeBetweenAskingAndKilling(t *testing.T) {
	for how, ask := range asking {
		t.Run(how, func(t *testing.T) {
			for _, tt := range []struct {
				script string
				grace  time.Duration
				code   int
			}{
				{`trap "" TERM HUP; echo up; exec sleep 300`, 400 * time.Millisecond, 128 + 9},
				{`trap "" TERM HUP; echo up; exec sleep 300`, 0, 128 + 9},
				{`trap "sleep 0.3; exit 9" TERM HUP; echo up; while :; do sleep 0.02; done`, patience, 9},
			} {
				code, took := asked(t, tt.script, tt.grace, ask)
				require.Equal(t, tt.code, code, tt.script)
				if code != 9 {
					require.GreaterOrEqual(t, took, tt.grace)
				}
			}
		})
	}
}

// asked runs a script and asks it to end once it is up; it returns how it ended, and how long after.
func asked(t *testing.T, script string, grace time.Duration, ask func(func(), chan<- os.Signal)) (code int, took time.Duration) {
	t.Helper()
	reg, _ := open(t)
	h := acquire(t, reg)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	cmd := sh(script)
	cmd.Stdout = w
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	signals, began := make(chan os.Signal, 1), make(chan time.Time, 1)
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 3))
		began <- time.Now()
		ask(cancel, signals)
	}()
	got, err := host.Run(ctx, h, cmd, host.WithGrace(grace), host.WithSignals(signals), host.WithBoundary("subreaper"))
	require.NoError(t, err)
	require.NoError(t, h.Release(t.Context()))
	empty(t, reg)
	return got.Code, time.Since(<-began)
}

// TestWhatIsLeftBehindHasTheGrace: it begins with the plugin's end.
func TestWhatIsLeftBehindHasTheGrace(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	cmd := sh(leave(`trap "sleep 0.3; echo cleaned >cleaned; exit 0" TERM; while :; do sleep 0.02; done`))
	cmd.Dir, cmd.Stdout = t.TempDir(), io.Discard
	_, err := host.Run(t.Context(), h, cmd, host.WithGrace(patience), host.WithBoundary("subreaper"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(cmd.Dir, "cleaned"))
	require.NoError(t, h.Release(t.Context()))
}

// TestRunEndsAlthoughASurvivorHoldsItsOutput: nobody ends what outlives a killed gate, and it may keep the output open for ever.
func TestRunEndsAlthoughASurvivorHoldsItsOutput(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	var out bytes.Buffer
	cmd := sh(leave("exec sleep 300") + `cat left; kill -KILL $PPID; exec sleep 300`)
	cmd.Dir, cmd.Stdout = t.TempDir(), &out
	_, err := host.Run(t.Context(), h, cmd, host.WithBoundary("subreaper"))
	require.ErrorIs(t, err, host.ErrUnsafe)
	pid, err := strconv.ParseInt(strings.TrimSpace(out.String()), 10, 64)
	require.NoError(t, err)
	survivor, err := process.OpenPidfd(pid)
	require.NoError(t, err, "the test wants a survivor")
	defer survivor.Close()
	require.NoError(t, survivor.Signal(unix.SIGKILL))
	require.NoError(t, h.Close())
}

// TestCountersOfRealRuns: one that ends well, one whose owner is killed, and one whose gate is.
func TestCountersOfRealRuns(t *testing.T) {
	var c lease.Counters
	home := filepath.Join(t.TempDir(), "home")
	reg, err := lease.Open(t.Context(), home, lease.WithObserver(c.Observe))
	require.NoError(t, err)
	defer reg.Close()
	run := func(script string, opts ...lease.AcquireOption) error {
		h, err := reg.Acquire(t.Context(), identity, "", opts...)
		if err != nil {
			return err
		}
		if _, err := host.Run(t.Context(), h, sh(script), host.WithBoundary("subreaper")); err != nil {
			require.NoError(t, h.Close())
			return err
		}
		return h.Release(t.Context())
	}
	require.NoError(t, run("exit 7"))
	endedByItself(t, home, reg)
	require.ErrorIs(t, run("exit 0"), lease.ErrBlocked)
	require.NoError(t, run("exit 0", lease.RecoverFirst()))
	require.ErrorIs(t, run("kill -KILL $PPID; exec sleep 300"), host.ErrUnsafe)
	require.ErrorIs(t, run("exit 0"), lease.ErrBlocked)

	n := c.Counts()
	require.Equal(t, map[verdict.Block]int64{verdict.BlockedUnverifiable: 1, verdict.BlockedUnsafe: 1}, n.Blocked)
	require.Equal(t, int64(3), n.Acquire.Count)
	require.Equal(t, int64(3), n.Hold.Count)
	n.Blocked, n.Acquire, n.Hold, n.Wait = nil, lease.Histogram{}, lease.Histogram{}, lease.Histogram{}
	require.Equal(t, lease.Counts{Acquired: 3, Released: 2, Unsafe: 1, Recovered: 1}, n)
}

// endedByItself leaves the lease of an owner that was killed, after its gate has ended the rest.
func endedByItself(t *testing.T, home string, reg *lease.Registry) {
	t.Helper()
	owner, out := startOwner(t, home, "echo up; exec sleep 300", "HOST_TEST_BOUNDARY=subreaper")
	require.True(t, out.Scan())
	gate, err := process.OpenPidfd(hostOf(t, one(t, reg)).PID)
	require.NoError(t, err)
	defer gate.Close()
	require.NoError(t, owner.Process.Kill())
	require.NoError(t, gate.Wait(t.Context()))
}

// TestWhatTheCallerIgnoresIsIgnored: nohup means the plugin, too.
func TestWhatTheCallerIgnoresIsIgnored(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	owner := ownerCommand(t, home, "exec grep SigIgn /proc/self/status", "HOST_TEST_BOUNDARY=subreaper")
	owner.Args = append([]string{"sh", "-c", `trap "" HUP INT; exec "$0" "$@"`}, owner.Args...)
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	owner.Path = sh
	said, err := owner.Output()
	require.NoError(t, err)
	mask, err := strconv.ParseUint(strings.TrimSpace(strings.TrimPrefix(string(said), "SigIgn:")), 16, 64)
	require.NoError(t, err)
	require.Equal(t, uint64(3), mask&3, "HUP and INT")
}
