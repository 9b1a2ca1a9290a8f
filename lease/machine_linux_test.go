package lease_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// inMounts runs do on a thread whose mounts are its own and end with it.
func inMounts(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Skip("SKIPPED: no mount namespace here: ", err)
	}
}

// On overlayfs over two file systems a directory gets another inode number with every mount, and whenever its cache is dropped. The
// home stays this machine's; its copy is another's.
func TestHomeOnOverlayStaysThisMachines(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	failed := "it was not tried"
	inMounts(t, func() {
		failed = func() string {
			for _, name := range []string{"low", "up", "over"} {
				if err := os.Mkdir(at(name), 0o700); err != nil {
					return err.Error()
				}
			}
			if err := unix.Mount("tmpfs", at("up"), "tmpfs", 0, "mode=700"); err != nil {
				return err.Error()
			}
			return onOverlay(at)
		}()
	})
	require.Empty(t, failed)
}

func onOverlay(at func(string) string) string {
	_ = os.Mkdir(at("up/up"), 0o700)
	_ = os.Mkdir(at("up/work"), 0o700)
	var inodes []uint64
	for round := range 2 {
		layers := "lowerdir=" + at("low") + ",upperdir=" + at("up/up") + ",workdir=" + at("up/work") + ",xino=off"
		if err := unix.Mount("overlay", at("over"), "overlay", 0, layers); err != nil {
			return "overlay: " + err.Error()
		}
		for n := range 8 * round { // whoever is looked at first gets the first number
			_ = os.Mkdir(at("over/"+strconv.Itoa(n)), 0o700)
		}
		r, err := lease.Open(context.Background(), at("over/home"), lease.WithHome(file.AllowAnyFilesystem()))
		if err != nil {
			return err.Error()
		}
		var st unix.Stat_t
		_ = unix.Stat(at("over/home"), &st)
		inodes = append(inodes, st.Ino)
		_ = r.Close()
		if err := unix.Unmount(at("over"), 0); err != nil {
			return err.Error()
		}
	}
	if inodes[0] == inodes[1] {
		return "the inode number did not change: nothing was shown"
	}
	return ""
}

// A home whose record was written with the inode number goes on being this machine's.
func TestHomeOfAnEarlierVersion(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	open := func() error {
		r, err := lease.Open(t.Context(), dir, lease.WithHome(file.AllowAnyFilesystem()))
		if err == nil {
			err = r.Close()
		}
		return err
	}
	require.NoError(t, open())
	var st unix.Stat_t
	require.NoError(t, unix.Stat(dir, &st))
	id, _ := os.ReadFile("/etc/machine-id")
	write := func(inode uint64) {
		path := filepath.Join(dir, "machine.json")
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		var m map[string]any
		require.NoError(t, json.Unmarshal(b, &m))
		old := process.Digest("containlease-host", strings.TrimSpace(string(id))+"\x00"+strconv.FormatUint(inode, 10))
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), m["hostSha256"].(string), old, 1)), 0o600))
	}
	write(st.Ino)
	require.NoError(t, open())
	write(st.Ino + 1)
	require.ErrorIs(t, open(), lease.ErrOtherHome)
}
