package scene

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Ground is a file system that root makes in an ordinary file and mounts.
type Ground struct {
	Name string
	mkfs []string
	size int64 // of the file, of which only a part is ever written
}

// The grounds that a home may lie on.
var (
	Ext4  = Ground{"ext4", []string{"mkfs.ext4", "-q", "-F"}, 64 << 20}
	XFS   = Ground{"xfs", []string{"mkfs.xfs", "-q", "-f"}, 320 << 20}
	Btrfs = Ground{"btrfs", []string{"mkfs.btrfs", "-q", "-f"}, 256 << 20}
)

// Image makes the file system in a file of dir. why says what is missing here for that; then there is no image.
func (g Ground) Image(ctx context.Context, dir string) (image string, why, err error) {
	if why := g.cannot(ctx); why != nil {
		return "", why, nil
	}
	image = filepath.Join(dir, g.Name)
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, g.size)); err != nil {
		return "", nil, err
	}
	if out, err := exec.CommandContext(ctx, g.mkfs[0], append(g.mkfs[1:], image)...).CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("%s: %w: %s", g.mkfs[0], err, out)
	}
	return image, nil, nil
}

// cannot tries the whole way to a mounted image.
func (g Ground) cannot(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("only root can mount")
	}
	if _, err := exec.LookPath(g.mkfs[0]); err != nil {
		return err
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "unshare", "--mount", "true").CombinedOutput(); err != nil {
		return fmt.Errorf("no mount namespace: %w: %s", err, out)
	}
	return nil
}

// Apart runs this program in a mount namespace that ends with it, and says what it says.
func Apart(ctx context.Context, args ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	return c.Run()
}

// Settle keeps the mounts of a process that runs apart to itself, and makes the directory that Mount mounts an image on.
func Settle(image string) (mnt string, err error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return "", err
	}
	mnt = image + ".mnt"
	return mnt, os.Mkdir(mnt, 0o700)
}

// Mount mounts an image on mnt, for as long as the process or until unix.Unmount.
func Mount(image, mnt string) error {
	if out, err := exec.Command("mount", "-o", "loop", image, mnt).CombinedOutput(); err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
	return nil
}

// FileSystem names the file system of a directory.
func FileSystem(dir string) string {
	names := map[int64]string{unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlay"}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return err.Error()
	}
	if name, ok := names[int64(st.Type)]; ok {
		return name
	}
	return fmt.Sprintf("file system type %#x", st.Type)
}
