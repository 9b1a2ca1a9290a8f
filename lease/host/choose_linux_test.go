package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/lease/cgroup"

	"github.com/stretchr/testify/require"
)

func TestAutoSaysWhyItIsNotBetter(t *testing.T) {
	needsRoot(t)
	// Every mount of the hierarchy goes; what is mounted instead is each case's own.
	const none = `while p=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1); test -n "$p"; do umount -l "$p"; done; `
	for name, tt := range map[string]struct {
		script string
		want   []string
	}{
		"not mounted": {none + `:`, []string{"subreaper in : no cgroup-v2", "is not mounted",
			"cgroup-v2: no such boundary here: unsupported operation: cgroup-v2: no control group can be made"}},
		"read-only":         {none + `mount -t cgroup2 -o ro none "$arg"`, []string{"subreaper in ", "read-only file system"}},
		"mounted elsewhere": {none + `mount -t cgroup2 none "$arg"`, []string{"cgroup-v2 in /", "cgroup-v2: <nil>"}},
		"over-mounted":      {none + `mount -t cgroup2 none "$arg"; mount -t tmpfs none "$arg"`, []string{"subreaper in : no cgroup-v2", "outside of what is mounted"}},
		"only another part mounted": {none + `mount -t cgroup2 none "$arg"; mkdir "$arg/containlease-part"; mkdir "$arg.part"; mount --bind "$arg/containlease-part" "$arg.part"; umount "$arg";
			test -d "$arg.part"`, []string{"subreaper in : no cgroup-v2", "outside of what is mounted"}},
		"no PID namespace": {`echo 0 >/proc/sys/user/max_pid_namespaces`, []string{"pid-namespace: no such boundary here", "no space left"}},
	} {
		t.Run(name, func(t *testing.T) {
			flags := []string{"--mount"}
			if name == "no PID namespace" {
				flags = append(flags, "--user", "--map-root-user")
			}
			dir := t.TempDir()
			got := output(t, within(as("chooser"), tt.script, dir, flags...))
			for _, w := range tt.want {
				require.Contains(t, got, w)
			}
		})
	}
	own, err := cgroup.Own()
	require.NoError(t, err)
	_ = os.Remove(filepath.Join(own, "containlease-part"))
}

func TestAGroupThatTakesNoProcesses(t *testing.T) {
	needsRoot(t)
	group := newGroup(t)
	threaded := filepath.Join(group, "threaded")
	require.NoError(t, os.Mkdir(threaded, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(threaded, "cgroup.type"), []byte("threaded"), 0))
	full := filepath.Join(group, "full")
	require.NoError(t, os.Mkdir(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "cgroup.type"), []byte("threaded"), 0))
	got := output(t, as("chooser", "HOST_TEST_GROUP="+group))
	require.Contains(t, got, "cannot be started in a group")

	require.NoError(t, os.Remove(threaded))
	require.NoError(t, os.Remove(full))
	limited := newGroup(t)
	require.NoError(t, os.WriteFile(filepath.Join(limited, "cgroup.max.descendants"), []byte("0"), 0))
	got = output(t, as("chooser", "HOST_TEST_GROUP="+limited))
	require.Contains(t, got, "subreaper in ")
	require.Contains(t, got, "resource temporarily unavailable")
}

func TestAnotherUsersGroup(t *testing.T) {
	needsRoot(t)
	got := output(t, as("chooser", "HOST_TEST_NOBODY=1"))
	require.Contains(t, got, "subreaper in ")
	require.Contains(t, got, "permission denied")
	require.Contains(t, got, "pid-namespace: <nil>", "through a user namespace")
}
