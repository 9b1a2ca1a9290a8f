package file

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const mounts = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 22 0:27 / /home\040-\0409p rw,relatime shared:5 master:2 - 9p host rw
32 22 0:28 / /x rw - tmpfs
33 22 0:29 / /y rw`

func TestGroundWantsTwoAnswersThatAgree(t *testing.T) {
	for _, tt := range []struct {
		id    string
		magic uint32
		known bool
		name  string
	}{
		{"22", unix.EXT4_SUPER_MAGIC, true, "ext4"},
		{"22", unix.XFS_SUPER_MAGIC, false, "ext4 that statfs takes for 0x58465342"},
		{"31", unix.EXT4_SUPER_MAGIC, false, "9p"},
		{"32", unix.TMPFS_MAGIC, false, "a mount that is not known (its line in the list of mounts cannot be read; statfs says 0x1021994)"},
		{"33", unix.TMPFS_MAGIC, false, "a mount that is not known (its line in the list of mounts cannot be read; statfs says 0x1021994)"},
		{"2", unix.EXT4_SUPER_MAGIC, false, "a mount that is not known (it is not in the list of mounts; statfs says 0xef53)"},
	} {
		kind, err := typeOfMount([]byte(mounts), tt.id)
		g := groundOf(kind, err, tt.magic)
		require.Equal(t, tt.name, g.Name)
		require.Equal(t, tt.known, g.Known, tt.name)
	}
	_, err := readProc("/etc/hostname")
	require.ErrorContains(t, err, "not of procfs")
}

// TestGrounds asks of real mounts, and of one that the list of mounts does not show.
func TestGrounds(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount")
	}
	c := exec.Command(os.Args[0], t.TempDir())
	c.Env = append(os.Environ(), childEnv+"=grounds")
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		skipLoudly(t, err)
	}
	require.NoError(t, err, "%s", out)
}

func init() { children["grounds"] = onGrounds }

func onGrounds(args []string) error {
	dir := args[0]
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=700"); err != nil {
		return err
	}
	for _, name := range []string{"up", "work", "low", "over", "bind"} {
		if err := os.Mkdir(at(name), 0o700); err != nil {
			return err
		}
	}
	layers := "lowerdir=" + at("low") + ",upperdir=" + at("up") + ",workdir=" + at("work")
	err := errors.Join(unix.Mount("overlay", at("over"), "overlay", 0, layers), unix.Mount("/proc", at("bind"), "", unix.MS_BIND, ""))
	if err != nil {
		return err
	}
	for name, want := range map[string]Ground{
		"not/yet":      {"tmpfs", true, CutsTakeAll},
		"over/not/yet": {"overlay", true, CutsUntried},
		"bind":         {"proc", false, CutsUntried},
	} {
		if got, err := GroundOf(at(name)); err != nil || got != want {
			return fmt.Errorf("%s: %+v, %w", name, got, err)
		}
	}
	return detached(at("over"))
}

// detached: what is mounted nowhere any more is not known.
func detached(dir string) error {
	h, err := Create(filepath.Join(dir, "home"))
	if err != nil {
		return err
	}
	defer h.Close()
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		return err
	}
	if g, err := h.sys.Filesystem(h.root.fd); err != nil || g.Known {
		return fmt.Errorf("detached: %+v, %w", g, err)
	}
	return nil
}

// passing has the ground of a new directory differ from that of the one that it is made in, as an automount does.
type passing struct {
	system
	asked int
}

func (p *passing) Filesystem(int) (filesystem, error) {
	p.asked++
	return filesystem{Name: "automount", Known: p.asked == 1}, nil
}

// A refused file system leaves nothing behind.
func TestRefusedGroundLeavesNothing(t *testing.T) {
	dir := fastDir(t)
	for _, sys := range []system{strange{mustSystem(t)}, &passing{system: mustSystem(t)}} {
		_, err := Create(filepath.Join(dir, "deep", "home"), func(o *options) { o.sys = sys })
		require.ErrorIs(t, err, ErrFilesystem)
		require.Empty(t, filesIn(t, dir))
	}
}
