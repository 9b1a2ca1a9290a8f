package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// hides acquires, and then has the owner or a host of it become root's: from then on hidepid hides that one from its user.
func hides() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	if err := os.Setenv("HOST_TEST_ROLE", "becomes-root"); err != nil {
		return err
	}
	if os.Getenv("HOST_TEST_HOW") == "owner" {
		return syscall.Exec(os.Getenv("HOST_TEST_ROOT"), []string{"owner"}, os.Environ())
	}
	cmd := exec.Command(os.Getenv("HOST_TEST_ROOT"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 3))
	}
	if err != nil {
		return err
	}
	p, err := process.New().Lookup(int64(cmd.Process.Pid))
	if err != nil {
		return err
	}
	host := lease.HostOf(p.Identity)
	if err := errors.Join(h.Enclose(ctx, leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}, p.Inode),
		h.Event(ctx, fsm.HostStarting, host), h.Event(ctx, fsm.HostStarted, host)); err != nil {
		return err
	}
	fmt.Println("up")
	return unix.Pause()
}

// looksThrough says what all four say, what is missing, and what the doctor then does.
func looksThrough() error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv("HOST_TEST_HOME"))
	if err != nil {
		return err
	}
	a, err := askAll(ctx, reg)
	if err != nil {
		return err
	}
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: true})
	if err != nil {
		return err
	}
	v := a.found.Verdict
	fmt.Printf("%s %s %s removed %v: %s\n", v.Outcome, v.Rule, a.acquire, rows[0].Removed, strings.Join(v.Missing, ", or "))
	return nil
}

// throughHidepid asks about the home, as its user, through a /proc that hides the processes of others.
func (d *delegated) throughHidepid() string {
	look := as("looks-through", "HOST_TEST_HOME="+d.home, "HOST_TEST_NOBODY=1")
	return output(d.t, within(look, `mount -t proc -o hidepid=2 proc /proc`, "", "--mount"))
}

// forgetInodes makes the evidence that of a kernel without pidfs.
func (d *delegated) forgetInodes() {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.home, "owners", "*.json"))
	require.NoError(d.t, err)
	require.Len(d.t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(d.t, err)
	e, err := leasefile.DecodeEvidenceV2File(text)
	require.NoError(d.t, err)
	e.OwnerInode, e.HostInode = nil, nil
	changed := e.AppendCanonical(nil)
	require.False(d.t, bytes.Equal(text, changed))
	require.NoError(d.t, os.WriteFile(files[0], changed, 0o600))
}

// hidden starts the owner, and returns how to end it.
func (d *delegated) hidden(who string) *exec.Cmd {
	d.t.Helper()
	d.needsSetUID()
	cmd := d.as("hides", "HOST_TEST_HOW="+who, "HOST_TEST_ROOT="+d.root)
	require.True(d.t, begin(d.t, cmd).Scan())
	return cmd
}

// TestAnOwnerThatHidepidHides may be alive: that it is not seen clears nothing, and what is missing is said.
func TestAnOwnerThatHidepidHides(t *testing.T) {
	d := newDelegated(t)
	owner := d.hidden("owner")
	d.forgetInodes()
	require.Equal(t, "unknown owner-unknown blocked-unverifiable removed false: leave to look at the owner's process\n", d.throughHidepid())
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait()
	require.Equal(t, "gone never-started blocked-unverifiable removed true: \n", d.throughHidepid())
}

// TestAHostThatHidepidHides is seen by its pidfs inode; where none is on record, it may be alive.
func TestAHostThatHidepidHides(t *testing.T) {
	d := newDelegated(t)
	owner := d.hidden("host")
	host := onlyChildOf(t, owner.Process.Pid)
	t.Cleanup(func() { _ = unix.Kill(host, syscall.SIGKILL) })
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait()
	orphan := fmt.Sprintf("orphan orphan blocked-unverifiable removed false: the end of its host (pid %d), and the boundary's own proof that it is empty\n", host)
	self, err := process.New().Self()
	require.NoError(t, err)
	if self.Inode != 0 {
		require.Equal(t, orphan, d.throughHidepid())
		d.forgetInodes()
	}
	require.Equal(t, "unknown host-unknown blocked-unverifiable removed false: leave to look at the host's process\n", d.throughHidepid())
	require.NoError(t, unix.Kill(host, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		return strings.HasPrefix(d.throughHidepid(), "unknown no-proof blocked-unverifiable removed false: the boundary's own proof")
	}, patience, patience/100)
}
