package host

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// children are the gate's own: the plugin, and every orphan that came to it as the subreaper. Signalling and reaping
// exclude each other, and only the gate reaps: so a pid that is signalled here is a child of ours, never a stranger.
type children struct {
	mu   sync.Mutex
	main int // the plugin's pid while it is not reaped, else 0
	proc procfs
}

func (c *children) plugin(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.main = pid
}

// oddities is how many answers that cannot be, one after the other with a tick between them, are taken for a bad moment.
const oddities = 50

// errNoNews: nothing has become of any child.
var errNoNews = errors.New("no child has ended")

// reapOne waits for the next child to end, and reaps it, or to be stopped: status tells which. unix.ECHILD: there is none
// left, which with the subreaper means that no descendant is left either. Any other error: that cannot be told.
//
// Waitid only wakes us, so one that is refused costs a look at each tick. What counts is wait4, unless the two contradict
// each other; and both are asked again before they are given up, since a refusal tells nothing of the next answer.
func (c *children) reapOne() (status syscall.WaitStatus, wasPlugin bool, err error) {
	for odd := 0; odd < oddities; time.Sleep(tick) {
		woken := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WALL, nil)
		status, wasPlugin, err = c.reapNow()
		switch {
		case err == nil, err == unix.ECHILD && woken != nil:
			return status, wasPlugin, err
		case err == errNoNews && woken != nil && woken != unix.ECHILD:
			// We woke by ourselves.
		default:
			odd++
			err = fmt.Errorf("whether a child is left cannot be told: waitid: %s, wait4: %w", answer(woken), err)
		}
	}
	return 0, false, err
}

// answer is an answer of the kernel in words.
func answer(err error) string {
	if err == nil {
		return "a child has ended"
	}
	return err.Error()
}

// reapNow reaps a child, if one has ended.
func (c *children) reapNow() (status syscall.WaitStatus, wasPlugin bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ws unix.WaitStatus
	pid, err := unix.Wait4(-1, &ws, unix.WNOHANG|unix.WUNTRACED|unix.WALL, nil)
	if err == nil && pid <= 0 {
		err = errNoNews
	}
	if err != nil {
		return 0, false, err
	}
	wasPlugin = pid == c.main
	if wasPlugin && !ws.Stopped() {
		c.main = 0
	}
	return syscall.WaitStatus(ws), wasPlugin, nil
}

// missed is an error if the plugin's end was never seen: that no child is left is then not believed.
func (c *children) missed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.main == 0 {
		return nil
	}
	return fmt.Errorf("no child is left, but how the plugin, pid %d, ended was never told", c.main)
}

// signalPlugin signals the plugin if it is not reaped yet.
func (c *children) signalPlugin(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.main != 0 {
		_ = deliver(c.main, s) // the ender asks again, and says what hinders it
	}
}

// signalGroup signals the process group that the plugin leads. Only while the plugin is not reaped: until then no other group can
// have its number.
func (c *children) signalGroup(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.main != 0 {
		_ = unix.Kill(-c.main, s)
	}
}

// signalAll signals every child for which want holds. The error is the first of what hindered it; the others are signalled all
// the same.
func (c *children) signalAll(s syscall.Signal, want func(pid int) bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	pids, err := c.proc.children()
	for _, pid := range pids {
		if !want(pid) {
			continue
		}
		if kerr := deliver(pid, s); kerr != nil && err == nil {
			err = fmt.Errorf("signal %d to pid %d: %w", s, pid, os.NewSyscallError("kill", kerr))
		}
	}
	return err
}

// deliver signals one child. One that is stopped (it reads from a terminal whose foreground it is not) does what it is asked only
// when it goes on.
func deliver(pid int, s syscall.Signal) error {
	err := unix.Kill(pid, s)
	if err == unix.ESRCH {
		err = nil // it has ended already
	}
	switch s {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP:
		_ = unix.Kill(pid, unix.SIGCONT)
	}
	return err
}
