package file

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a user namespace that has a number for one user only, the root of outside is shown as nobody. What is his is not refused.
func TestParentsSeenFromAUserNamespace(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can be somebody else")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755)) // so that others get there
	home := filepath.Join(dir, "theirs")
	require.NoError(t, os.Mkdir(home, 0o700))
	require.NoError(t, os.Chown(home, stranger, stranger))
	one := []syscall.SysProcIDMap{{ContainerID: 0, HostID: stranger, Size: 1}}
	c := exec.Command(copyOfTest(t, dir), filepath.Join(home, "home"))
	c.Env = append(os.Environ(), childEnv+"=create")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: one, GidMappings: one,
		Credential: &syscall.Credential{Uid: 0, Gid: 0, NoSetGroups: true}, Pdeathsig: syscall.SIGKILL}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOSPC) {
		skipLoudly(t, err)
	}
	require.NoError(t, err, "%s", out)
}

// copyOfTest is this program where another user may run it.
func copyOfTest(t *testing.T, dir string) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer from.Close()
	to, err := os.OpenFile(filepath.Join(dir, "test"), os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, errors.Join(err, to.Close()))
	return to.Name()
}

// skipLoudly: in CI nothing may be missing.
func skipLoudly(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip("SKIPPED: ", why)
}
