package process

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func requireStatus(t *testing.T, p Process, inode uint64, want Status, reason string) {
	t.Helper()
	status, why := New().Status(p.Identity, inode)
	require.Equal(t, want, status, why)
	require.Contains(t, why, reason)
}

func TestSelf(t *testing.T) {
	self, err := New().Self()
	require.NoError(t, err)
	require.EqualValues(t, os.Getpid(), self.PID)

	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	require.NoError(t, err)
	require.Equal(t, Digest("io-boot", string(bytes.TrimSpace(boot))), self.BootID)
	bootID, err := New().Boot()
	require.NoError(t, err)
	require.Equal(t, self.BootID, bootID)

	stat, err := os.ReadFile("/proc/self/stat")
	require.NoError(t, err)
	_, afterName, _ := strings.Cut(string(stat), ") ") // this binary's name has no parenthesis
	start := strings.Fields(afterName)[22-3]
	require.Equal(t, Digest("io-process-start", self.BootID+"\x00"+start), self.StartID)

	seen, err := New().Lookup(self.PID)
	require.NoError(t, err)
	require.Equal(t, self, seen)
	requireStatus(t, self, 0, Live, "start time equal")
}

func TestLifeOfAChild(t *testing.T) {
	c := start(t, "idle")
	p := c.process()
	requireStatus(t, p, 0, Live, "start time equal")
	c.kill()
	for _, inode := range []uint64{0, p.Inode} {
		requireStatus(t, p, inode, Dead, "zombie")
	}
	_, err := New().Lookup(p.PID)
	require.ErrorIs(t, err, ErrNotFound, "a zombie does not run")
	c.end()
	for _, inode := range []uint64{0, p.Inode} {
		requireStatus(t, p, inode, Dead, "no such process")
	}
	_, err = New().Lookup(p.PID)
	require.ErrorIs(t, err, ErrNotFound)
}

func TestPidfsInode(t *testing.T) {
	self, err := New().Self()
	require.NoError(t, err)
	if self.Inode == 0 {
		t.Skip("NOT TESTED: this kernel has no pidfs (Linux 6.9)")
	}
	p := start(t, "idle").process()
	requireStatus(t, p, p.Inode, Live, "pidfs inode equal")
	requireStatus(t, p, self.Inode, Dead, "another pidfs inode")

	p.StartID = self.StartID
	requireStatus(t, p, 0, Dead, "started at another time")
	requireStatus(t, p, p.Inode, Live, "pidfs inode equal") // whatever else says
}

func TestAnotherBoot(t *testing.T) {
	self, err := New().Self()
	require.NoError(t, err)
	inode := self.Inode
	self.BootID = Digest("io-boot", "another")
	requireStatus(t, self, inode, Dead, "another boot")
}

func TestPidsThatCannotBe(t *testing.T) {
	self, err := New().Self()
	require.NoError(t, err)
	for _, pid := range []int64{maxPID + 1, 1<<32 + self.PID, 1<<53 - 1} {
		wrong := self
		wrong.PID = pid
		requireStatus(t, wrong, 0, Unknown, "the record is wrong")
		_, err = New().Lookup(pid)
		require.ErrorIs(t, err, ErrNotFound)
	}
	_, err = New().Lookup(0)
	require.ErrorIs(t, err, ErrNotFound)
}

func TestStoppedIsAlive(t *testing.T) {
	c := start(t, "idle")
	p := c.process()
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGSTOP))
	var ws unix.WaitStatus
	_, err := unix.Wait4(int(p.PID), &ws, unix.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, ws.Stopped())
	requireStatus(t, p, 0, Live, "stopped")
	requireStatus(t, p, p.Inode, Live, "stopped")
}

func TestExecKeepsIdentity(t *testing.T) {
	c := start(t, "exec")
	before := c.process()
	_, err := c.stdin.Write([]byte{'\n'})
	require.NoError(t, err)
	c.ready()
	args, err := os.ReadFile("/proc/" + itoa(before.PID) + "/cmdline")
	require.NoError(t, err)
	require.Equal(t, "idle\x00", string(args), "it has executed")
	require.Equal(t, before, c.process())
}

func TestLeaderThreadEnded(t *testing.T) {
	c := start(t, "leader")
	p := c.process()
	requireStatus(t, p, 0, Live, "leader thread ended")
	requireStatus(t, p, p.Inode, Live, "leader thread ended")
	c.kill()
	requireStatus(t, p, 0, Dead, "zombie")
}

func TestAnyNameIsParsed(t *testing.T) {
	for _, name := range []string{") Z 1 (a\n) S", "a b) R 2 3", "((((", "))))", ") Z\n", " "} {
		t.Run(name, func(t *testing.T) {
			c := start(t, "renamed", "PROCESS_TEST_COMM="+name)
			comm, err := os.ReadFile("/proc/" + itoa(c.pid()) + "/comm")
			require.NoError(t, err)
			require.Equal(t, name+"\n", string(comm))
			requireStatus(t, c.process(), 0, Live, "start time equal")
		})
	}
}

func TestThreadIsNoProcess(t *testing.T) {
	ids := make(chan int64)
	release := make(chan struct{})
	defer close(release)
	go func() {
		runtime.LockOSThread() // and end the thread with the goroutine
		ids <- int64(unix.Gettid())
		<-release
	}()
	tid := <-ids
	require.NotEqualValues(t, os.Getpid(), tid)
	_, err := OpenPidfd(tid)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = New().Lookup(tid)
	require.ErrorIs(t, err, ErrNoIdentity, "there is something, but no process")

	self, err := New().Self()
	require.NoError(t, err)
	earlier := Process{Identity: newIdentity(tid, self.BootID, "1")}
	requireStatus(t, earlier, 0, Dead, "another process")
}

func BenchmarkStatus(b *testing.B) {
	self, err := New().Self()
	require.NoError(b, err)
	for b.Loop() {
		if status, why := New().Status(self.Identity, self.Inode); status != Live {
			b.Fatal(why)
		}
	}
}
