package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const lookVar = "CONTAINLEASE_TEST_CARRIER"

// values are those that a look finds, by pid.
func values(t *testing.T, c Census) map[int64]string {
	t.Helper()
	require.NoError(t, c.Err)
	out := map[int64]string{}
	for _, carrier := range c.Carriers {
		out[carrier.PID] = carrier.Value
	}
	return out
}

// TestLook finds whoever has the variable, and by its first value; a zombie has no environment.
func TestLook(t *testing.T) {
	one := start(t, "idle", "X"+lookVar+"=other", lookVar+"=one")
	two, threads := start(t, "idle", lookVar+"=two"), start(t, "leader", lookVar+"=three")
	start(t, "idle", "X"+lookVar+"=other", lookVar+"=") // names nothing
	found := New().Look(lookVar)
	require.Equal(t, map[int64]string{one.pid(): "one", two.pid(): "two", threads.pid(): "three"}, values(t, found),
		"also of a process whose leader thread has ended")
	for _, c := range found.Carriers {
		if c.PID == one.pid() {
			require.Equal(t, one.process(), c.Process)
		}
	}
	if self, err := New().Self(); err == nil && self.Inode != 0 {
		require.Equal(t, self.PID, found.PIDOf(self.Inode))
		require.Zero(t, found.PIDOf(1<<60))
	}
	one.kill() // and nobody has reaped it
	require.Equal(t, map[int64]string{two.pid(): "two", threads.pid(): "three"}, values(t, New().Look(lookVar)))
}

// TestLookBehindALargeEnvironment: a variable is found behind all that the kernel lets stand before it.
func TestLookBehindALargeEnvironment(t *testing.T) {
	var old unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_STACK, &old))
	if old.Max != unix.RLIM_INFINITY {
		t.Skip("SKIPPED: the stack is limited here, and with it the environment")
	}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_STACK, &unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: old.Max}))
	defer func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_STACK, &old)) }()
	const most, each = 6 << 20, 120_000
	var env []string
	for i := range most/each - 1 {
		env = append(env, fmt.Sprintf("FILL%d=%s", i, strings.Repeat("x", each-20)))
	}
	c := start(t, "idle", append(env, lookVar+"=last")...)
	require.Equal(t, map[int64]string{c.pid(): "last"}, values(t, New().Look(lookVar)))
}

// TestLookAtOthers: who may not be looked at is unseen, with its start where that may be told, and never absent.
func TestLookAtOthers(t *testing.T) {
	const nobody = 65534
	for name, options := range map[string]string{"unreadable": "hidepid=1", "hidden": "hidepid=2", "open": "hidepid=0",
		"hidden but the init": "hidepid=2"} {
		t.Run(name, func(t *testing.T) {
			namespace := map[string]uintptr{"hidden but the init": unix.CLONE_NEWPID}[name]
			if !inside(t, namespace) {
				return
			}
			mountProc(t, options)
			before := New().Clock()
			c := start(t, "idle", lookVar+"=secret")
			require.NotZero(t, before)
			require.NoError(t, syscall.Setgroups(nil))
			require.NoError(t, syscall.Setgid(nobody))
			require.NoError(t, syscall.Setuid(nobody))
			if name == "hidden but the init" { // as in a container whose init is its only user's
				require.Equal(t, 1, os.Getpid())
				require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
			}
			found := New().Look(lookVar)
			require.Empty(t, found.Carriers)
			if options == "hidepid=2" {
				require.ErrorContains(t, found.Err, "hidepid")
				return
			}
			require.NoError(t, found.Err)
			for _, u := range found.Unseen {
				if u.PID == c.pid() && name == "open" {
					require.GreaterOrEqual(t, u.Start, before)
				}
				if u.PID == c.pid() {
					return
				}
			}
			require.Fail(t, "it is neither seen nor unseen")
		})
	}
}

// TestLookAtOnesOwn: a user sees the own processes, also one whose leader thread has ended, which /proc gives to root.
func TestLookAtOnesOwn(t *testing.T) {
	const nobody = 65534
	if !inside(t, 0) {
		return
	}
	require.NoError(t, syscall.Setgroups(nil))
	require.NoError(t, syscall.Setgid(nobody))
	require.NoError(t, syscall.Setuid(nobody))
	require.NoError(t, unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0))
	one, threads := start(t, "idle", lookVar+"=one"), start(t, "leader", lookVar+"=two")
	require.Equal(t, map[int64]string{one.pid(): "one", threads.pid(): "two"}, values(t, New().Look(lookVar)))
}

// TestLookDuringExec: a process that executes one program after the other has its variable in every look.
func TestLookDuringExec(t *testing.T) {
	c := start(t, "again", lookVar+"=still")
	for range 200 {
		found := New().Look(lookVar)
		require.NoError(t, found.Err)
		if !slices.Contains(unseenPIDs(found), c.pid()) {
			require.Equal(t, "still", values(t, found)[c.pid()])
		}
	}
}

// TestLookThatFails: whatever /proc answers beside "it has ended" leaves a process unseen.
func TestLookThatFails(t *testing.T) {
	if !inside(t, 0) {
		return
	}
	c := start(t, "idle", lookVar+"=one")
	dir := "/proc/" + itoa(c.pid()) + "/"
	for _, over := range [][]string{{"environ", "task"}, {"stat"}} {
		for _, name := range over {
			if name == "task" {
				require.NoError(t, unix.Mount("none", dir+name, "tmpfs", 0, ""))
			} else {
				require.NoError(t, unix.Mount("/dev/null", dir+name, "", unix.MS_BIND, ""))
			}
		}
		found := New().Look(lookVar)
		for _, name := range over {
			require.NoError(t, unix.Unmount(dir+name, 0))
		}
		require.Empty(t, found.Carriers)
		require.Contains(t, unseenPIDs(found), c.pid())
	}
	blind := New().(inspector)
	blind.root = "/dev"
	require.Error(t, blind.Look(lookVar).Err)
}

// unseenPIDs are more than a test's own: an init may let nobody look.
func unseenPIDs(c Census) (pids []int64) {
	for _, u := range c.Unseen {
		pids = append(pids, u.PID)
	}
	return pids
}

// TestLookSeesWhoIsLate: a process may fork, and end before it is looked at, so a look lists again.
func TestLookSeesWhoIsLate(t *testing.T) {
	first := start(t, "idle", lookVar+"=first")
	gone := first.pid()
	var heir *child
	late := New().(inspector)
	pin := late.pin
	late.pin = func(pid int64) (*Pidfd, error) {
		if pid == gone && heir == nil { // between the listing and the look
			heir = start(t, "idle", lookVar+"=heir")
			first.end()
		}
		return pin(pid)
	}
	found := late.Look(lookVar)
	require.NotNil(t, heir)
	require.Equal(t, map[int64]string{heir.pid(): "heir"}, values(t, found))
}

// TestNamespaceEnded: while a namespace has a process it is not proved gone, neither from above nor from beside it; and at
// the end of its init it is, in each of 100 looks.
func TestNamespaceEnded(t *testing.T) {
	own, err := New().Namespaces()
	require.NoError(t, err)
	require.NotEmpty(t, own.InitStartID)
	if own.PIDID == 0 {
		t.Skip("NOT TESTED: this kernel gives no ids to namespaces (Linux 6.18 does)")
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: new namespaces need root")
	}
	require.False(t, New().NamespaceEnded(own.PIDID, own.PID))
	require.False(t, New().NamespaceEnded(0, own.PID))
	require.False(t, New().NamespaceEnded(own.PIDID, 0))

	c := startIn(t, unix.CLONE_NEWPID|unix.CLONE_NEWNS, "where")
	var there Namespaces
	_, err = fmt.Fscan(c.out, &there.PIDID, &there.PID)
	require.NoError(t, err)
	require.NotEqual(t, own.PIDID, there.PIDID)
	beside := fmt.Sprintf("PROCESS_TEST_NAMESPACE=%d %d", there.PIDID, there.PID)
	ask := func() (word string) {
		asker := startIn(t, unix.CLONE_NEWPID|unix.CLONE_NEWNS, "ask", beside)
		_, err := fmt.Fscan(asker.out, &word)
		require.NoError(t, err)
		asker.end()
		return word
	}
	require.False(t, New().NamespaceEnded(there.PIDID, there.PID))
	require.Equal(t, "false", ask())
	require.True(t, New().NamespaceEnded(there.PIDID+1000, there.PID), "nobody has had this one yet")
	c.end()
	for range 100 {
		require.True(t, New().NamespaceEnded(there.PIDID, there.PID))
	}
	for range 3 {
		require.Equal(t, "true", ask())
	}
}

func BenchmarkLook(b *testing.B) {
	for b.Loop() {
		_ = New().Look(lookVar)
	}
}
