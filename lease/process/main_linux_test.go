package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The tests look at real processes. This binary, run again, is each of them: as a
// helper named in helperVar, or as one test inside new namespaces (insideVar).
const (
	helperVar = "PROCESS_TEST_HELPER"
	insideVar = "PROCESS_TEST_INSIDE"
	atOnce    = "GORACE=atexit_sleep_ms=0" // the race detector lingers for a second otherwise
)

var helpers = map[string]func(){
	"idle":   idle,
	"exec":   execIdle,
	"leader": endLeader,
	"again": func() {
		if os.Getenv("PROCESS_TEST_AGAIN") == "" {
			_, err := os.Stdout.WriteString("ready\n")
			must(err)
		}
		must(syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), "PROCESS_TEST_AGAIN=1")))
	},
	"where": func() {
		ns := namespacesInside()
		fmt.Println(ns.PIDID, ns.PID)
		idle()
	},
	"ask": func() {
		namespacesInside()
		var id, number uint64
		_, err := fmt.Sscan(os.Getenv("PROCESS_TEST_NAMESPACE"), &id, &number)
		must(err)
		fmt.Println(New().NamespaceEnded(id, number))
		idle()
	},
	"renamed": func() {
		must(os.WriteFile("/proc/self/comm", []byte(os.Getenv("PROCESS_TEST_COMM")), 0))
		idle()
	},
}

// init runs on the leader thread. Main stays there, so no other goroutine, such
// as a test, ever does.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	if name := os.Getenv(helperVar); name != "" {
		helpers[name]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// namespacesInside are those of the caller, the init of a new PID namespace with private mounts.
func namespacesInside() Namespaces {
	must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	must(unix.Mount("proc", "/proc", "proc", 0, ""))
	ns, err := New().Namespaces()
	must(err)
	return ns
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// idle says that it runs, and runs until its input ends.
func idle() {
	_, err := os.Stdout.WriteString("ready\n")
	must(err)
	_, err = io.Copy(io.Discard, os.Stdin)
	must(err)
}

// execIdle becomes idle by exec, from a thread that is not the leader, when told.
func execIdle() {
	_, err := os.Stdout.WriteString("ready\n")
	must(err)
	_, err = os.Stdin.Read(make([]byte, 1))
	must(err)
	failed := make(chan error)
	go func() {
		if unix.Gettid() == os.Getpid() {
			failed <- errors.New("on the leader thread")
		}
		failed <- syscall.Exec("/proc/self/exe", []string{"idle"}, []string{helperVar + "=idle", atOnce})
	}()
	must(<-failed)
}

// endLeader ends the leader thread, and idles on the others.
func endLeader() {
	go func() {
		for {
			content, err := os.ReadFile("/proc/self/stat")
			must(err)
			if s, err := parseStat(content, int64(os.Getpid())); err == nil && s.state == stateZombie {
				break
			}
			runtime.Gosched()
		}
		idle()
		os.Exit(0)
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // this thread's, not exit_group
}

// child is a helper that is ready. The test's end is its end too.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func start(t *testing.T, helper string, env ...string) *child {
	t.Helper()
	c := startIn(t, 0, helper, env...)
	c.ready()
	return c
}

// startIn starts a helper in new namespaces, and does not wait for it to be ready.
func startIn(t *testing.T, flags uintptr, helper string, env ...string) *child {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), helperVar+"="+helper, atOnce), env...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{t, cmd, stdin, bufio.NewReader(stdout)}
	t.Cleanup(c.end)
	return c
}

func (c *child) ready() {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	require.NoError(c.t, err)
	require.Equal(c.t, "ready\n", line)
}

func (c *child) pid() int64 { return int64(c.cmd.Process.Pid) }

// process is the child as New().Lookup sees it.
func (c *child) process() Process {
	c.t.Helper()
	p, err := New().Lookup(c.pid())
	require.NoError(c.t, err)
	return p
}

func (c *child) pidfd() *Pidfd {
	c.t.Helper()
	p, err := OpenPidfd(c.pid())
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = p.Close() })
	return p
}

// kill leaves a zombie: it returns when the child has ended.
func (c *child) kill() {
	c.t.Helper()
	pidfd := c.pidfd()
	require.NoError(c.t, c.cmd.Process.Kill())
	require.NoError(c.t, pidfd.Wait(c.t.Context()))
}

// end kills and reaps, by closing the input where the caller has lost the right
// to kill.
func (c *child) end() {
	if c.cmd.ProcessState == nil {
		_ = c.stdin.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}

// inside runs the calling test once more, in new namespaces, and is true there.
// There, mounts are private; new PID namespaces do not yet have a /proc.
func inside(t *testing.T, flags uintptr) bool {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		require.NoError(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: new namespaces and mounts need root")
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd.Env = append(os.Environ(), insideVar+"="+t.Name(), atOnce)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | flags, Pdeathsig: unix.SIGKILL}
	output, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) {
		t.Skip("NOT TESTED: this machine refuses new namespaces")
	}
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "--- PASS: "+t.Name(), "the test did not run inside")
	return false
}

func mountProc(t *testing.T, options string) {
	t.Helper()
	require.NoError(t, unix.Mount("proc", "/proc", "proc", 0, options))
}
