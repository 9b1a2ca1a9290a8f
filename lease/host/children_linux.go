package host

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// children are the gate's own: the plugin, and every orphan that came to it as the subreaper. Signalling and reaping
// exclude each other, and only the gate reaps: so a pid that is signalled here is a child of ours, never a stranger.
type children struct {
	mu   sync.Mutex
	main int // the plugin's pid while it is not reaped, else 0
}

func (c *children) plugin(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.main = pid
}

// reapOne waits for the next child to end, and reaps it, or to be stopped: status tells which. more is false when there is none
// left (ECHILD), which with the subreaper means that no descendant is left either.
func (c *children) reapOne() (status syscall.WaitStatus, wasPlugin, more bool) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return 0, false, false
		}
		break
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws unix.WaitStatus
	pid, err := unix.Wait4(-1, &ws, unix.WNOHANG|unix.WUNTRACED|unix.WALL, nil)
	if err != nil || pid == 0 {
		return 0, false, true
	}
	wasPlugin = pid == c.main
	if wasPlugin && !ws.Stopped() {
		c.main = 0
	}
	return syscall.WaitStatus(ws), wasPlugin, true
}

// signalPlugin signals the plugin if it is not reaped yet.
func (c *children) signalPlugin(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.main != 0 {
		deliver(c.main, s)
	}
}

// signalGroup signals the process group that the plugin leads, if the plugin is not reaped yet.
func (c *children) signalGroup(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.main != 0 {
		_ = unix.Kill(-c.main, s)
	}
}

// signalAll signals every child for which want holds.
func (c *children) signalAll(s syscall.Signal, want func(pid int) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pid := range list() {
		if want(pid) {
			deliver(pid, s)
		}
	}
}

// deliver signals one child. One that is stopped (it reads from a terminal whose foreground it is not) does what it is asked only
// when it goes on.
func deliver(pid int, s syscall.Signal) {
	_ = unix.Kill(pid, s)
	switch s {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP:
		_ = unix.Kill(pid, unix.SIGCONT)
	}
}

// list returns the pids of our children. The kernel keeps them by thread; without that file (CONFIG_PROC_CHILDREN) every
// process is asked for its parent.
func list() []int {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	var pids []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, field := range bytes.Fields(b) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	if len(files) > 0 {
		return pids
	}
	return listByParent()
}

func listByParent() []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var pids []int
	for _, f := range stats {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		// "12 (name) S 1 ...": the name may hold anything, so count from the last parenthesis.
		rest := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
		if len(rest) > 1 && string(rest[1]) == strconv.Itoa(os.Getpid()) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
