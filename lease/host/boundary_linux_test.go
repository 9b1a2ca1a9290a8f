package host_test

import (
	"bytes"
	"context"
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
	"containlease/lease/cgroup"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

// kinds are all boundaries but auto.
var kinds = host.Kinds[1:]

// leavers are plugins that end at once and leave something behind.
var leavers = map[string]func() *exec.Cmd{
	"fork":              script(`sleep 300 &`),
	"double fork":       script(`(sleep 300 &)`),
	"session":           script(`setsid sleep 300 &`),
	"ignores TERM":      script(`(trap "" TERM; while :; do sleep 1; done) &`),
	"stopped":           script(`(kill -STOP $(exec sh -c 'echo $PPID')) &`),
	"kills itself":      script(`setsid sleep 300 & kill -KILL $$`),
	"own PID namespace": unshared("--pid --fork --mount-proc"),
	"own cgroup namespace, mounts, user namespace": unshared("--cgroup --mount --user"),
	"own namespaces of all other kinds":            unshared("--net --ipc --uts --time --fork"),
	"own subreaper":                                func() *exec.Cmd { return as("subreaper") },
	"leaves its cgroup":                            func() *exec.Cmd { return as("leaves-cgroup") },
	"a tree of dead parents":                       script(`(sh -c '(sh -c "(setsid sleep 300 &)" &)' &)`),
}

// inCgroups are those that need a control group around them: elsewhere their groups would be the machine's.
var inCgroups = map[string]func() *exec.Cmd{
	"groups of its own": func() *exec.Cmd { return as("nests-cgroups") },
	"frozen":            func() *exec.Cmd { return as("freezes") },
}

func script(s string) func() *exec.Cmd { return func() *exec.Cmd { return sh(s) } }

// unshared leaves somebody in namespaces of its own, and ends with notUnshared where there is nobody.
func unshared(flags string) func() *exec.Cmd {
	return script(`exec 9>&1; (setsid unshare ` + flags + ` sh -c 'echo up; exec sleep 300 >&9' &) | read up || exit 99`)
}

const notUnshared = 99

func TestWhateverIsLeftIsEndedInEveryBoundary(t *testing.T) {
	for _, kind := range kinds {
		available(t, kind)
		for name, plugin := range leavers {
			t.Run(kind+"/"+name, func(t *testing.T) { leftIsEnded(t, kind, plugin()) })
		}
	}
	for name, plugin := range inCgroups {
		t.Run("cgroup-v2/"+name, func(t *testing.T) { leftIsEnded(t, "cgroup-v2", plugin()) })
	}
}

func leftIsEnded(t *testing.T, kind string, cmd *exec.Cmd) {
	reg, seen := open(t)
	h := acquire(t, reg)
	life := newLifeline(t)
	life.give(cmd)
	var out bytes.Buffer // a pipe, which what is left holds open
	cmd.Stdout = &out
	got, err := host.Run(t.Context(), h, cmd, host.WithBoundary(kind), host.AcceptUnproved(), host.WithGrace(50*time.Millisecond))
	require.NoError(t, err)
	require.NotEqual(t, notUnshared, got.Code)
	life.requireCut()
	require.Equal(t, kind, got.Boundary)
	b := recordedBoundary(t, reg, h)
	require.Equal(t, kind, string(b.Kind))
	if b.Path != "" {
		require.NoDirExists(t, b.Path)
	}
	require.NoError(t, h.Release(t.Context()))
	require.Equal(t, []string{"acquire", "hostStarting", "hostStarted", "cleanupComplete", "release"}, *seen)
	empty(t, reg)
}

func recordedBoundary(t *testing.T, reg *lease.Registry, h *lease.Handle) leasefile.Boundary {
	t.Helper()
	i, err := reg.Inspect(t.Context(), h.ID())
	require.NoError(t, err)
	require.NotNil(t, i.Evidence)
	return i.Evidence.Boundary
}

func TestAPluginThatForksFasterThanItIsKilled(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			available(t, kind)
			reg, _ := open(t)
			h := acquire(t, reg)
			life := newLifeline(t)
			ctx, cancel := context.WithCancel(t.Context())
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			cmd := as("forks-forever")
			cmd.Stdout = w
			life.give(cmd)
			go func() { _, _ = r.Read(make([]byte, 3)); cancel() }()
			got, err := host.Run(ctx, h, cmd, host.WithBoundary(kind), host.AcceptUnproved(), host.WithGrace(100*time.Millisecond))
			w.Close()
			require.NoError(t, err)
			require.Equal(t, 128+9, got.Code)
			life.requireCut()
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

func TestThePluginIsBornInItsGroup(t *testing.T) {
	available(t, "cgroup-v2")
	reg, _ := open(t)
	h := acquire(t, reg)
	var out bytes.Buffer
	cmd := exec.Command("cat", "/proc/self/cgroup", filepath.Join(reg.Dir(), "owners", h.ID()+".json"))
	cmd.Stdout = &out
	_, err := host.Run(t.Context(), h, cmd, host.WithBoundary("cgroup-v2"))
	require.NoError(t, err)
	require.Contains(t, out.String(), "/"+cgroup.Prefix+h.ID()+"\n")
	own, err := cgroup.Own()
	require.NoError(t, err)
	require.Contains(t, out.String(), `"path":"`+filepath.Join(own, cgroup.Prefix+h.ID())+`"`)
	require.NoError(t, h.Release(t.Context()))
}

func TestTheGateIsTheInitOfItsNamespace(t *testing.T) {
	available(t, "pid-namespace")
	reg, _ := open(t)
	h := acquire(t, reg)
	var out bytes.Buffer
	// The plugin sees the gate as pid 1 and no process of ours; the lease has the gate's pid in our namespace.
	cmd := sh(`echo $PPID; ls -d /proc/[0-9]*; kill -KILL 1 && kill -STOP 1; echo survived`)
	cmd.Stdout = &out
	_, err := host.Run(t.Context(), h, cmd, host.WithBoundary("pid-namespace"))
	require.NoError(t, err)
	lines := strings.Fields(out.String())
	require.Equal(t, "1", lines[0])
	require.Equal(t, "/proc/1", lines[1])
	require.Equal(t, "survived", lines[len(lines)-1], "an init is not killed from within")
	require.Less(t, len(lines), 8, "%v", lines)
	recorded := h.Snapshot().Lease.Containment.Host.PID
	require.Greater(t, recorded, int64(1))
	require.NoDirExists(t, "/proc/"+strconv.FormatInt(recorded, 10))
	require.NoError(t, h.Release(t.Context()))
	empty(t, reg)
}

func TestProcessGroupIsNeverTakenUnasked(t *testing.T) {
	reg, seen := open(t)
	h := acquire(t, reg)
	_, err := host.Choose(host.WithBoundary("process-group"))
	require.ErrorIs(t, err, host.ErrUnproved)
	got, err := host.Run(t.Context(), h, exec.Command("true"), host.WithBoundary("process-group"))
	require.ErrorIs(t, err, host.ErrUnproved)
	require.False(t, got.Started)
	_, err = host.Choose(host.WithBoundary("fence"))
	require.ErrorIs(t, err, host.ErrBoundary)
	require.NoError(t, h.Release(t.Context()))
	require.Equal(t, []string{"acquire", string(fsm.CleanupComplete), "release"}, *seen)
	empty(t, reg)
}
