package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func init() {
	roles["runs-true"] = func() error { return elsewhere(asSomebody(runsTrue)) }
	roles["retires"] = retires
	roles["shows"] = func() error { return elsewhere(asSomebody(shows)) }
	roles["sweeps"] = func() error { return elsewhere(asSomebody(sweeps)) }
}

// asSomebody gives up root for HOST_TEST_UID, before it does f.
func asSomebody(f func() error) func() error {
	return func() error {
		uid, err := strconv.Atoi(os.Getenv("HOST_TEST_UID"))
		if err == nil {
			err = errors.Join(syscall.Setgroups(nil), syscall.Setgid(uid), syscall.Setuid(uid),
				unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
			if err != nil {
				return err
			}
		}
		return f()
	}
}

// newPrivate is a home and a group of a user whom no other doctor on this machine works for: one would clear
// away what a test looks for.
func newPrivate(t *testing.T) (d *delegated, uid int) {
	t.Helper()
	d, uid = newDelegated(t), 60000+os.Getpid()%5000
	for _, path := range []string{d.home, d.group, filepath.Join(d.group, "cgroup.procs"), filepath.Join(d.group, "cgroup.subtree_control")} {
		require.NoError(t, os.Chown(path, uid, uid))
	}
	return d, uid
}

// by starts this binary in a role, as that user in that group.
func (d *delegated) by(uid int, role string) *exec.Cmd {
	cmd := as(role, "HOST_TEST_GROUP="+d.group, "HOST_TEST_HOME="+d.home, "HOST_TEST_UID="+strconv.Itoa(uid))
	cmd.Dir = "/"
	return cmd
}

// runsTrue is an ordinary program: it chooses a boundary, runs something short in it, and releases.
func runsTrue() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "", lease.RecoverFirst())
	if err != nil {
		return err
	}
	if _, err := host.Run(ctx, h, exec.Command("true")); err != nil {
		return err
	}
	return h.Release(ctx)
}

// sweeps is a doctor with all that it does, and says what it had to leave.
func sweeps() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	if _, err := reg.Repair(ctx, lease.RepairOptions{Apply: true}); err != nil {
		return err
	}
	left, err := reg.Sweep(ctx)
	for _, l := range left {
		fmt.Println(l.Path, l.Reason)
	}
	return err
}

// shows is a doctor that only looks, in a home that is there.
func shows() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	left, err := reg.Leftovers(ctx)
	for _, l := range left {
		fmt.Println(l.Path, l.Reason)
	}
	return err
}

// retires retires the only lease, and tells what it was told.
func retires() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"), lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Noted {
			fmt.Println(o.Detail)
		}
	}))
	if err != nil {
		return err
	}
	for i, err := range reg.List(ctx) {
		if err == nil {
			_, err = reg.Retire(ctx, i.ID, i.Digest, "a test's word")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
