package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"containlease/lease"
	"containlease/lease/cgroup"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const nobody = 65534

// elsewhere moves this process into the group HOST_TEST_GROUP and gives up root for HOST_TEST_NOBODY, before it does f.
func elsewhere(f func() error) error {
	if group := os.Getenv("HOST_TEST_GROUP"); group != "" {
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0); err != nil {
			return err
		}
	}
	if os.Getenv("HOST_TEST_NOBODY") != "" {
		for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody),
			unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)} {
			if err != nil {
				return err
			}
		}
	}
	return f()
}

// doctor judges the only lease of HOST_TEST_HOME, and removes what is gone for HOST_TEST_APPLY.
func doctor() error {
	ctx := context.Background()
	apply := os.Getenv("HOST_TEST_APPLY") != ""
	opts := []lease.Option{}
	if !apply {
		opts = append(opts, lease.ReadOnly())
	}
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"), opts...)
	if err != nil {
		return err
	}
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: apply})
	if err != nil {
		return err
	}
	for _, r := range rows {
		fmt.Println(r.Verdict.Outcome, r.Verdict.Rule, r.State, "removed", r.Removed, r.Err, strings.Join(r.Words, "; "))
	}
	return nil
}

// chooser tells what auto chooses, and whether a control group could be asked for.
func chooser() error {
	c, err := host.Choose()
	if err != nil {
		return err
	}
	own, _ := cgroup.Own()
	fmt.Printf("%s in %s: %s\n", c.Kind, own, c.Why)
	_, err = host.Choose(host.WithBoundary("cgroup-v2"))
	fmt.Println("cgroup-v2:", err)
	_, err = host.Choose(host.WithBoundary("pid-namespace"))
	fmt.Println("pid-namespace:", err)
	return nil
}

// within has cmd run by unshare with these flags, after a script of mounts in which $1 is what arg says.
func within(cmd *exec.Cmd, script, arg string, flags ...string) *exec.Cmd {
	const begin = `set -e; arg=$1; shift; `
	args := append(append([]string{"--propagation", "private"}, flags...), "sh", "-c", begin+script+`; exec "$@"`, "sh", arg)
	moved := exec.Command("unshare", append(append(args, cmd.Path), cmd.Args[1:]...)...)
	moved.Env, moved.Stderr = cmd.Env, cmd.Stderr
	return moved
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	b, err := cmd.Output()
	require.NoError(t, err, "%s", b)
	return string(b)
}

// newGroup makes a group for a test, in which nothing is left at its end.
func newGroup(t *testing.T) string {
	t.Helper()
	own, err := cgroup.Own()
	require.NoError(t, err)
	path, err := os.MkdirTemp(own, cgroup.Prefix+"test-")
	require.NoError(t, err)
	t.Cleanup(func() {
		var at, up unix.Stat_t
		if errors.Is(unix.Stat(path, &at), unix.ENOENT) {
			return
		}
		require.NoError(t, unix.Stat(own, &up))
		g, err := cgroup.Open(cgroup.Place{Path: path, Inode: at.Ino, ParentInode: up.Ino})
		require.NoError(t, err)
		defer g.Close()
		require.NoError(t, g.Kill())
		_, err = g.Await(patience)
		require.NoError(t, err)
		require.NoError(t, g.Remove())
	})
	return path
}
