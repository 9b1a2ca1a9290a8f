package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestNamespaces(t *testing.T) {
	ns, err := New().Namespaces()
	require.NoError(t, err)
	for name, inode := range map[string]uint64{"pid": ns.PID, "time": ns.Time, "cgroup": ns.Cgroup} {
		link, err := os.Readlink("/proc/self/ns/" + name)
		require.NoError(t, err)
		require.Equal(t, name+":["+itoa(int64(inode))+"]", link)
	}
}

// The kernel gives a pid again: somebody else has the dead child's.
func TestPidReuse(t *testing.T) {
	if !inside(t, unix.CLONE_NEWPID) {
		return
	}
	mountProc(t, "")
	first := start(t, "idle")
	dead := first.process()
	first.kill()
	first.end()
	requireStatus(t, dead, dead.Inode, Dead, "no such process")

	heir := reuse(t, dead)
	requireStatus(t, dead, 0, Dead, "started at another time")
	requireStatus(t, heir, 0, Live, "start time equal")
	if heir.Inode == 0 {
		t.Log("NOT TESTED: reuse within a tick needs pidfs (Linux 6.9)")
		return
	}
	requireStatus(t, dead, dead.Inode, Dead, "another pidfs inode")
	// The same within one tick: all that the lease itself records is equal.
	twin := Process{heir.Identity, dead.Inode}
	requireStatus(t, twin, 0, Live, "start time equal")
	requireStatus(t, twin, twin.Inode, Dead, "another pidfs inode")
}

// reuse returns a new process with the pid of the dead, started in a later tick.
// The threads of this test take pids too, so it may need more than one try.
func reuse(t *testing.T, dead Process) Process {
	t.Helper()
	for range 100 {
		require.NoError(t, os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(itoa(dead.PID-1)), 0))
		c := start(t, "idle")
		if p := c.process(); p.PID == dead.PID && p.StartID != dead.StartID {
			return p
		}
		c.end()
	}
	require.FailNow(t, "the pid was not given again")
	return Process{}
}

func TestProcOfAnotherNamespace(t *testing.T) {
	if !inside(t, unix.CLONE_NEWPID) {
		return
	}
	require.Equal(t, 1, os.Getpid())
	requireNothingKnown(t, "another PID namespace")
	mountProc(t, "")
	self, err := New().Self()
	require.NoError(t, err)
	requireStatus(t, self, 0, Live, "start time equal")
}

// requireNothingKnown asks about the caller, and about what would be another
// boot's if only the boot id could be trusted.
func requireNothingKnown(t *testing.T, reason string) {
	t.Helper()
	_, err := New().Self()
	require.ErrorIs(t, err, ErrNoIdentity)
	require.ErrorContains(t, err, reason)
	_, err = New().Lookup(int64(os.Getpid()))
	require.ErrorIs(t, err, ErrNoIdentity)
	_, err = New().Boot()
	require.ErrorIs(t, err, ErrNoIdentity)
	for _, pid := range []int64{1, int64(os.Getpid()), maxPID} {
		requireStatus(t, Process{Identity: newIdentity(pid, Digest("io-boot", "x"), "1")}, 1, Unknown, reason)
	}
}

func TestBootIDMountedOver(t *testing.T) {
	if !inside(t, 0) {
		return
	}
	const real = "/proc/sys/kernel/random/boot_id"
	before, err := New().Boot()
	require.NoError(t, err)
	forged := filepath.Join(t.TempDir(), "boot_id")
	require.NoError(t, os.WriteFile(forged, []byte("c8dbcc89-826d-447f-8151-cd7e09881349\n"), 0o600))
	for _, c := range []struct{ name, source, reason string }{
		{"by a file", forged, "not procfs"},
		{"by another file of procfs", "/proc/sys/kernel/random/uuid", "mounted over"},
		{"by itself", real, "mounted over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, unix.Mount(c.source, real, "", unix.MS_BIND, ""))
			defer func() { require.NoError(t, unix.Unmount(real, 0)) }()
			requireNothingKnown(t, c.reason)
		})
	}
	t.Run("containers mount /proc/sys over itself, read-only", func(t *testing.T) {
		require.NoError(t, unix.Mount("/proc/sys", "/proc/sys", "", unix.MS_BIND, ""))
		require.NoError(t, unix.Mount("", "/proc/sys", "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		after, err := New().Boot()
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
}

func TestProcMountedOver(t *testing.T) {
	if !inside(t, 0) {
		return
	}
	for _, c := range []struct{ name, kind, options, reason string }{
		{"by another file system", "tmpfs", "", "not procfs"},
		{"without /proc/sys", "proc", "subset=pid", "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, unix.Mount(c.kind, "/proc", c.kind, 0, c.options))
			defer func() { require.NoError(t, unix.Unmount("/proc", 0)) }()
			requireNothingKnown(t, c.reason)
		})
	}
	t.Run("one process by a file", func(t *testing.T) {
		c := start(t, "idle")
		p := c.process()
		stat := "/proc/" + itoa(p.PID) + "/stat"
		require.NoError(t, unix.Mount("/proc/self/stat", stat, "", unix.MS_BIND, ""))
		requireStatus(t, p, 0, Unknown, "mounted over")
	})
}

func TestProcessesOfOthers(t *testing.T) {
	const nobody = 65534
	for name, options := range map[string]string{"unreadable": "hidepid=1", "hidden": "hidepid=2", "open": "hidepid=0"} {
		t.Run(name, func(t *testing.T) {
			if !inside(t, 0) {
				return
			}
			mountProc(t, options)
			c := start(t, "idle")
			p := c.process()
			ended := start(t, "idle")
			gone := ended.process()
			ended.end()
			require.NoError(t, syscall.Setgroups(nil))
			require.NoError(t, syscall.Setgid(nobody))
			require.NoError(t, syscall.Setuid(nobody))
			require.ErrorIs(t, probe(p.PID), unix.EPERM)

			requireStatus(t, gone, 0, Dead, "no such process")
			if p.Inode != 0 {
				requireStatus(t, p, p.Inode, Live, "pidfs inode equal")
			}
			blind := New().(inspector) // where a filter forbids pidfds as well
			blind.pin = func(int64) (*Pidfd, error) { return nil, unix.EPERM }
			status, why := blind.Status(p.Identity, p.Inode)
			require.Equal(t, Unknown, status, why)
			if name == "open" {
				requireStatus(t, p, 0, Live, "start time equal")
				return
			}
			require.Contains(t, why, "permission denied")
			requireStatus(t, p, 0, Unknown, map[string]string{"unreadable": "permission denied", "hidden": "hidden"}[name])
			_, err := New().Lookup(p.PID)
			require.ErrorIs(t, err, ErrNoIdentity)
			_, err = New().Self()
			require.NoError(t, err, "oneself is never hidden")
		})
	}
}
