package host_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

var identity = leasefile.OperationIdentity{
	PluginID: "demo", PluginVersion: "1.0.0", SurfaceID: "demo", AdapterID: "demo", Transport: leasefile.TransportProviderAPI,
	Operation: "command.run", ContractVersion: 1, BundleSHA256: zeros, ManifestSHA256: zeros, DescriptorSHA256: zeros,
}

func TestRunPassesTheStatusThrough(t *testing.T) {
	for script, want := range map[string]host.Result{
		"exit 0":                     {Code: 0, Started: true},
		"exit 7":                     {Code: 7, Started: true},
		"exit 255":                   {Code: 255, Started: true},
		"kill -TERM $$":              {Code: 128 + 15, Signaled: true, Started: true},
		"kill -KILL $$":              {Code: 128 + 9, Signaled: true, Started: true},
		"ulimit -c 0; kill -ABRT $$": {Code: 128 + 6, Signaled: true, Started: true},
	} {
		t.Run(script, func(t *testing.T) {
			reg, seen := open(t)
			h := acquire(t, reg)
			want.Boundary, want.Why = "subreaper", "it was asked for"
			got, err := host.Run(t.Context(), h, sh(script), host.WithBoundary("subreaper"))
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, fsm.StateCleanupComplete, h.State())
			require.NoError(t, h.Release(t.Context()))
			require.Equal(t, []string{"acquire", "hostStarting", "hostStarted", "cleanupComplete", "release"}, *seen)
			empty(t, reg)
		})
	}
}

func TestThePluginsFirstInstructionFindsHostActive(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	var out bytes.Buffer
	cmd := exec.Command("cat", filepath.Join(reg.Dir(), "leases", h.ID()+".json"))
	cmd.Stdout = &out
	_, err := host.Run(t.Context(), h, cmd)
	require.NoError(t, err)
	l, err := leasefile.DecodeFile(out.Bytes())
	require.NoError(t, err)
	require.Equal(t, leasefile.ContainmentStatusHostActive, l.(*leasefile.LeaseV2).Containment.Status)
	require.NoError(t, h.Release(t.Context()))
}

func TestStdioAndExtraFilesKeepTheirPlaces(t *testing.T) {
	reg, _ := open(t)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	var out, errs bytes.Buffer
	cmd := sh("cat; echo err >&2; echo extra >&3; pwd; echo $ONLY; exec ls -C /proc/self/fd")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("in\n"), &out, &errs
	cmd.ExtraFiles, cmd.Dir, cmd.Env = []*os.File{w}, "/", []string{"ONLY=this", "PATH=" + os.Getenv("PATH")}
	h := acquire(t, reg)
	_, err = host.Run(t.Context(), h, cmd)
	require.NoError(t, err)
	require.NoError(t, h.Release(t.Context()))
	require.Equal(t, "err\n", errs.String())
	bare := exec.Command("ls", "-C", "/proc/self/fd")
	bare.ExtraFiles = []*os.File{w}
	fds, err := bare.Output()
	require.NoError(t, err)
	require.Equal(t, "in\n/\nthis\n"+string(fds), out.String(), "the plugin has no descriptor more than without a gate")
	require.NoError(t, w.Close())
	extra, err := io.ReadAll(r) // ends: the gate let go of it
	require.NoError(t, err)
	require.Equal(t, "extra\n", string(extra))
}

func TestWhatThePluginLeavesBehindIsEndedAndProved(t *testing.T) {
	tests := map[string]string{
		"daemon":              leave("exec sleep 300") + "exit 0",
		"ignores TERM":        leave(`trap "" TERM; while :; do sleep 1; done`) + "exit 0",
		"stopped":             leave("kill -STOP $$") + "exit 0",
		"plugin kills itself": leave("exec sleep 300") + "kill -KILL $$",
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			cmd := sh(script)
			cmd.Dir, cmd.Stdout = t.TempDir(), io.Discard
			_, err := host.Run(t.Context(), h, cmd, host.WithGrace(200*time.Millisecond))
			require.NoError(t, err)
			text, err := os.ReadFile(filepath.Join(cmd.Dir, "left"))
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			require.NoError(t, err)
			require.ErrorIs(t, unix.Kill(pid, 0), unix.ESRCH, "it is still there")
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

func TestAForkingPluginIsStopped(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	ctx, cancel := context.WithCancel(t.Context())
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := sh(`trap "" TERM; f() { (setsid sleep 1 &) ; }; echo go; while :; do f; done`)
	cmd.Stdout = w
	go func() { _, _ = r.Read(make([]byte, 3)); cancel() }()
	got, err := host.Run(ctx, h, cmd, host.WithGrace(100*time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, 128+9, got.Code)
	require.NoError(t, h.Release(t.Context()))
	empty(t, reg)
}

func TestSignalsReachThePluginOnce(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	signals := make(chan os.Signal, 4)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	var out bytes.Buffer
	cmd := sh(`trap "echo usr1" USR1; trap "echo term; exit 9" TERM; echo ready >&3; while :; do sleep 0.05; done`)
	cmd.Stdout, cmd.ExtraFiles = &out, []*os.File{w}
	go func() {
		_, _ = r.Read(make([]byte, 6))
		signals <- unix.SIGURG
		signals <- unix.SIGUSR1
		signals <- unix.SIGTERM
	}()
	got, err := host.Run(t.Context(), h, cmd, host.WithSignals(signals))
	require.NoError(t, err)
	require.Equal(t, 9, got.Code)
	require.Equal(t, "usr1\nterm\n", out.String())
	require.NoError(t, h.Release(t.Context()))
}

func TestRefusals(t *testing.T) {
	used := exec.Command("true")
	require.NoError(t, used.Run())
	attr := exec.Command("true")
	attr.SysProcAttr = &unix.SysProcAttr{}
	var start *host.StartError
	for name, tt := range map[string]struct {
		cmd  *exec.Cmd
		want any
	}{
		"no such program": {exec.Command("no-such-program-here"), &start},
		"used":            {used, host.ErrCommand},
		"attributes":      {attr, host.ErrCommand},
		"not executable":  {&exec.Cmd{Path: "/etc/hostname"}, &start},
		"no such dir":     {&exec.Cmd{Path: "/bin/true", Dir: "/no/such/dir"}, &start},
	} {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			got, err := host.Run(t.Context(), h, tt.cmd)
			if target, ok := tt.want.(error); ok {
				require.ErrorIs(t, err, target)
			} else {
				require.ErrorAs(t, err, tt.want)
			}
			require.False(t, got.Started)
			require.Equal(t, fsm.StateCleanupComplete, h.State())
			_, err = host.Run(t.Context(), h, exec.Command("true"))
			require.ErrorIs(t, err, lease.ErrRefused, "a handle serves once")
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

// withoutGate is a program whose main does not call GateMain.
func withoutGate() int {
	reg, err := lease.Open(context.Background(), os.Getenv("HOST_TEST_NO_GATE"))
	if err != nil {
		return 1
	}
	h, err := reg.Acquire(context.Background(), identity, "")
	if err != nil {
		return 2
	}
	if _, err = host.Run(context.Background(), h, sh("exit 0")); !errors.Is(err, host.ErrNoGate) {
		return 3
	}
	if err := h.Release(context.Background()); err != nil {
		return 4
	}
	return 0
}

func TestAProgramWithoutGateIsToldSo(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "HOST_TEST_NO_GATE="+filepath.Join(t.TempDir(), "home"))
	require.NoError(t, cmd.Run())
}

func TestAKilledGateIsNoProof(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	cmd := sh(`kill -KILL $PPID; exec sleep 300`)
	got, err := host.Run(t.Context(), h, cmd, host.WithBoundary("subreaper"))
	require.ErrorIs(t, err, host.ErrUnsafe)
	require.True(t, got.Started)
	require.Equal(t, fsm.StateCleanupUnsafe, h.State())
	require.ErrorIs(t, h.Release(t.Context()), lease.ErrRefused)
	require.NoError(t, h.Close())
	_, err = reg.Acquire(t.Context(), identity, "")
	require.ErrorIs(t, err, lease.ErrBlocked)
	plan, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Len(t, plan, 1)
	require.False(t, plan[0].Removed)
}
