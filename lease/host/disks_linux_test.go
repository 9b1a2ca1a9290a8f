package host_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// diskEnv names what this binary does as a process in a mount namespace of its own; the gates that it starts must not see it.
const diskEnv = "HOST_TEST_DISK"

func init() {
	what := os.Getenv(diskEnv)
	if what == "" {
		return
	}
	os.Unsetenv(diskEnv)
	host.GateMain() // returns: this is no gate
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = diskRoles[what](os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, what+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var diskRoles = map[string]func(dir string) error{
	"full": liveOnFullDisk, "read-only": lookAtReadOnlyHome, "unrecorded": failToRecord,
}

// TestDisks runs each role in a mount namespace, which takes its mounts with it.
func TestDisks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount")
	}
	for what := range diskRoles {
		t.Run(what, func(t *testing.T) {
			c := exec.Command(os.Args[0], t.TempDir())
			c.Env = append(os.Environ(), diskEnv+"="+what)
			c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			out, err := c.CombinedOutput()
			if errors.Is(err, os.ErrPermission) {
				t.Skip("SKIPPED: no mount namespace here: ", err)
			}
			require.NoError(t, err, "%s", out)
		})
	}
}

const page = 4096

// liveOnFullDisk leaves more and more pages free on a tmpfs of 64 KiB. An acquire either fails before a host exists and leaves
// no lease, or the invocation runs, fills the disk to the last byte, and is completed and released all the same.
func liveOnFullDisk(dir string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		return err
	}
	ctx := context.Background()
	reg, err := lease.Open(ctx, filepath.Join(dir, "home"))
	if err != nil {
		return err
	}
	filler := filepath.Join(dir, "filler")
	refused := 0
	for free := 0; ; free++ {
		if err := fillUp(filler, free); err != nil {
			return err
		}
		h, err := reg.Acquire(ctx, identity, "")
		if err == nil {
			// The space of the refused is given back for the evidence; then the plugin takes all there is.
			if err := errors.Join(fillUp(filler, 4), live(ctx, h, "cat /dev/zero >"+filler+".more 2>/dev/null; true"),
				nothingLeft(reg.Dir()), os.Remove(filler+".more")); err != nil {
				return fmt.Errorf("acquired with %d pages free: %w", free, err)
			}
			break
		}
		if !errors.Is(err, syscall.ENOSPC) || h != nil || free > 8 {
			return fmt.Errorf("with %d pages free: %v, %w", free, h, err)
		}
		refused++
		for i, err := range reg.List(ctx) {
			return fmt.Errorf("with %d pages free a refused acquire left %s: %w", free, i.ID, err)
		}
	}
	if refused == 0 {
		return errors.New("no acquire was refused: the disk was not full")
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	return errors.Join(live(ctx, h, "exit 0"), nothingLeft(reg.Dir()))
}

// fillUp makes the file take all space but so many pages.
func fillUp(path string, free int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	size := int64(0)
	for ; err == nil; size += page {
		_, err = f.WriteAt(make([]byte, page), size)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return f.Truncate(max(0, size-page-int64(free)*page))
}

func live(ctx context.Context, h *lease.Handle, script string) error {
	_, err := host.Run(ctx, h, exec.Command("sh", "-c", script))
	return errors.Join(err, h.Release(ctx))
}

func nothingLeft(home string) error {
	for _, dir := range []string{"leases", "owners"} {
		left, err := os.ReadDir(filepath.Join(home, dir))
		if err != nil || len(left) > 0 {
			return fmt.Errorf("left in %s: %v, %w", dir, left, err)
		}
	}
	return nil
}

// failToRecord fills the disk between acquire and the host, and takes the lease's own space away. What cannot be recorded does
// not run, the gate is gone, and the lease can be brought to its end when there is space again.
func failToRecord(dir string) error {
	ctx := context.Background()
	small, marker := filepath.Join(dir, "small"), filepath.Join(dir, "marker")
	if err := errors.Join(os.Mkdir(small, 0o700), unix.Mount("tmpfs", small, "tmpfs", 0, "size=64k,mode=700")); err != nil {
		return err
	}
	reg, err := lease.Open(ctx, filepath.Join(small, "home"))
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	filler := filepath.Join(small, "filler")
	if err := errors.Join(os.Truncate(filepath.Join(reg.Dir(), "leases", "."+h.ID()+".spare"), 0), fillUp(filler, 0)); err != nil {
		return err
	}
	res, err := host.Run(ctx, h, exec.Command("touch", marker))
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, host.ErrNoGate) || res.Started || h.State() != fsm.StateParentOwned {
		return fmt.Errorf("run on a full disk: started %v, state %s, %w", res.Started, h.State(), err)
	}
	if _, err := os.Stat(marker); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the plugin ran: %w", err)
	}
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		return fmt.Errorf("there is still a child: %d, %w", pid, err)
	}
	if err := os.Remove(filler); err != nil {
		return err
	}
	return errors.Join(h.Event(ctx, fsm.CleanupComplete), h.Release(ctx), nothingLeft(reg.Dir()))
}
