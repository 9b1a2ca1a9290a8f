package host_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// delegated is a home and a control group that belong to nobody, and a set-uid program of root's.
type delegated struct {
	t                 *testing.T
	home, group, root string
}

func newDelegated(t *testing.T) *delegated {
	t.Helper()
	needsRoot(t)
	dir, err := os.MkdirTemp("", "delegated")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	d := &delegated{t: t, home: filepath.Join(dir, "home"), group: newGroup(t), root: filepath.Join(dir, "becomes-root")}
	require.NoError(t, os.Mkdir(d.home, 0o700))
	for _, path := range []string{d.home, d.group, filepath.Join(d.group, "cgroup.procs"), filepath.Join(d.group, "cgroup.subtree_control")} {
		require.NoError(t, os.Chown(path, nobody, nobody))
	}
	text, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(d.root, text, 0o755))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "up"), 0o666))
	require.NoError(t, os.Chown(filepath.Join(dir, "up"), nobody, nobody))
	require.NoError(t, os.Chmod(d.root, os.ModeSetuid|0o755))
	return d
}

// needsSetUID skips, loudly, where the file system gives a set-uid program nothing.
func (d *delegated) needsSetUID() {
	d.t.Helper()
	var fs unix.Statfs_t
	require.NoError(d.t, unix.Statfs(d.root, &fs))
	if fs.Flags&unix.ST_NOSUID != 0 {
		d.t.Skipf("NOT TESTED: %s is mounted nosuid", d.root)
	}
}

// as starts this binary in a role, as nobody in the delegated group.
func (d *delegated) as(role string, env ...string) *exec.Cmd {
	cmd := as(role, append(env, "HOST_TEST_NOBODY=1", "HOST_TEST_GROUP="+d.group, "HOST_TEST_HOME="+d.home, "HOST_TEST_OWNER="+d.home)...)
	cmd.Dir = "/"
	return cmd
}

// becomingRoot leaves a set-uid program behind, once it has become root.
const becomingRoot = `HOST_TEST_ROLE=becomes-root setsid DIR/becomes-root >DIR/up & read up <DIR/up`

func (d *delegated) script(s string) string {
	return strings.ReplaceAll(s, "DIR", filepath.Dir(d.root))
}

func (d *delegated) doctor() string { return output(d.t, d.as("doctor", "HOST_TEST_APPLY=1")) }

// owner runs the script under a lease; what it prints comes back, its error if it has one.
func (d *delegated) owner(kind, script string) (string, *lifeline, error) {
	d.t.Helper()
	life := newLifeline(d.t)
	cmd := d.as("owner-elsewhere", "HOST_TEST_BOUNDARY="+kind, "HOST_TEST_SCRIPT="+script, "HOST_TEST_LIFELINE=3")
	life.give(cmd)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), life, err
}

// whoami shows the plugin's user and its privileges.
const whoami = `id -u; grep CapEff /proc/self/status; `

func TestWithoutPrivileges(t *testing.T) {
	for _, kind := range kinds {
		for name, script := range map[string]string{
			"plain":   whoami + `setsid sleep 300 >/dev/null &`,
			"set-uid": whoami + `` + becomingRoot,
			"many":    whoami + `f() { (setsid sleep 300 >/dev/null &) ; }; i=0; while test $i -lt 40; do f; i=$((i+1)); done`,
		} {
			if name == "set-uid" && kind != "cgroup-v2" && kind != "pid-namespace" {
				continue // the next test
			}
			t.Run(kind+"/"+name, func(t *testing.T) {
				d := newDelegated(t)
				if name == "set-uid" {
					d.needsSetUID()
				}
				out, life, err := d.owner(kind, d.script(script))
				require.NoError(t, err, "%s", out)
				require.Equal(t, "65534\nCapEff:\t0000000000000000\n", out, "the plugin keeps its user, and gains no privilege")
				life.requireCut()
				require.Regexp(t, "^gone complete cleanup-complete removed true <nil>", d.doctor())
				left, err := os.ReadDir(d.group)
				require.NoError(t, err)
				for _, e := range left {
					require.False(t, e.IsDir(), "%s is left", e.Name())
				}
			})
		}
	}
}

// becomesRoot is what sudo does: from then on its user may not signal it. In a user namespace without root it stays who it is.
func becomesRoot() error {
	_ = syscall.Setuid(0)
	fmt.Println("up")
	return syscall.Exec("/bin/sleep", []string{"sleep", "300"}, nil)
}

// A set-uid program is root's: a gate that has nothing but signals may not end it, and ends what else there is. It stays on record until it has
// ended and the gate could see it. What the gate then says is proof for a subreaper; a process group proves nothing once its owner has ended.
func TestASetUidProgramThatOnlySignalsCouldEnd(t *testing.T) {
	for kind, then := range map[string]string{
		"subreaper":     "gone boundary-empty cleanup-unsafe removed true <nil>",
		"process-group": "unknown no-proof cleanup-unsafe removed false <nil>",
	} {
		t.Run(kind, func(t *testing.T) {
			d := newDelegated(t)
			d.needsSetUID()
			out, life, err := d.owner(kind, d.script(`(trap "" TERM; exec sleep 300) & echo $!; `+becomingRoot+`; echo $!`))
			require.Error(t, err)
			lines := strings.SplitN(out, "\n", 3)
			require.Contains(t, lines[2], "goes on waiting")
			own, err := strconv.Atoi(lines[0])
			require.NoError(t, err)
			require.False(t, alive(own), "what is the user's own is killed, and reaped")
			life.requireWhole()
			require.Regexp(t, "^orphan orphan cleanup-unsafe removed false", d.doctor())
			endForeign(d, life, lines[1], then)
		})
	}
}

// A plugin that the gate may not signal outlives the front that was killed: the owner's patience is bounded, and the lease tells.
func TestASetUidPluginBehindAFront(t *testing.T) {
	t.Setenv("HOST_TEST_PREPARE", "1")
	d := newDelegated(t)
	d.needsSetUID()
	out, life, err := d.owner("subreaper", d.script(`front=$(cut -d" " -f4 /proc/$PPID/stat); echo $$; `+
		`(read up <DIR/up; kill -KILL $front) & HOST_TEST_ROLE=becomes-root exec DIR/becomes-root >DIR/up`))
	require.Error(t, err)
	pid, rest, _ := strings.Cut(out, "\n")
	require.Contains(t, rest, "after the end was asked for")
	life.requireWhole()
	require.Regexp(t, "^orphan orphan cleanup-unsafe removed false", d.doctor())
	endForeign(d, life, pid, "gone boundary-empty cleanup-unsafe removed true <nil>")
}

// endForeign ends what root alone may signal, and waits for what the doctor then says.
func endForeign(d *delegated, life *lifeline, pid, says string) {
	d.t.Helper()
	n, err := strconv.Atoi(pid)
	require.NoError(d.t, err)
	require.NoError(d.t, unix.Kill(n, syscall.SIGKILL)) // alive, so the number is still its own
	life.requireCut()
	require.Eventually(d.t, func() bool { return strings.HasPrefix(d.doctor(), says) }, patience, patience/200)
}
