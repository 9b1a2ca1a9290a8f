package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// invocation is one `containlease run`, as its starter knows it.
type invocation struct {
	runID    string // also its token at the checker
	boundary string
	shape    shape
	cmd      *exec.Cmd // the owner
	pidfd    int       // of the owner
	out      *os.File  // what it said
	done     chan struct{}
	gates    []gate
	lost     atomic.Bool   // a gate of its was killed, by us
	named    atomic.Int64  // the pid that an operator gave his word for; 0: none
	beside   []*invocation // whose owners had ended before this one was begun
}

// gate is a child of the owner, pinned.
type gate struct {
	pid   int
	pidfd int
}

// begin starts the owner, whose number stays its own until done is closed.
func (v *invocation) begin() error {
	v.cmd.SysProcAttr.PidFD = &v.pidfd
	if err := v.cmd.Start(); err != nil {
		return err
	}
	if v.pidfd < 0 {
		return errors.New("the kernel gives no pidfd")
	}
	go func() {
		_ = v.cmd.Wait()
		close(v.done)
	}()
	return nil
}

func (v *invocation) ended() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

// look pins what the owner has for children now: it is the owner's only while that is not reaped,
// so both are looked at twice.
func (v *invocation) look() {
	for _, pid := range v.children() {
		if slices.ContainsFunc(v.gates, func(g gate) bool { return g.pid == pid && g.alive() }) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if !slices.Contains(v.children(), pid) {
			_ = unix.Close(fd)
			continue
		}
		v.gates = append(v.gates, gate{pid, fd})
	}
}

// children are those of all threads of the owner.
func (v *invocation) children() (pids []int) {
	dir := "/proc/" + strconv.Itoa(v.cmd.Process.Pid) + "/task"
	threads, _ := os.ReadDir(dir)
	for _, t := range threads {
		b, _ := os.ReadFile(dir + "/" + t.Name() + "/children")
		for field := range strings.FieldsSeq(string(b)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	if ready(v.pidfd, unix.POLLIN) != 0 { // by now somebody else may have the number
		return nil
	}
	return pids
}

func (g gate) alive() bool { return ready(g.pidfd, unix.POLLIN) == 0 }

// strike sends a signal to the owner, or to all gates that are known; what says what it did.
func (v *invocation) strike(at string, s syscall.Signal) (what string) {
	v.look()
	if at == "owner" {
		err := v.cmd.Process.Signal(s)
		if err == nil && s == unix.SIGKILL {
			<-v.done
		}
		return fmt.Sprintf("%s to the owner, pid %d: %v", unix.SignalName(s), v.cmd.Process.Pid, err)
	}
	what = unix.SignalName(s) + " to gates:"
	for _, g := range v.gates {
		if !g.alive() {
			continue
		}
		err := unix.PidfdSendSignal(g.pidfd, s, nil, 0)
		what += fmt.Sprintf(" pid %d: %v", g.pid, err)
		if s == unix.SIGKILL && err == nil {
			v.lost.Store(true)
			if err := g.await(); err != nil {
				what += ": " + err.Error()
			}
		}
	}
	return what
}

var errStays = errors.New("a process that was killed does not end")

// await waits for the end of one that was killed.
func (g gate) await() error {
	p := []unix.PollFd{{Fd: int32(g.pidfd), Events: unix.POLLIN}}
	for over := time.Now().Add(stuckAfter); time.Now().Before(over); {
		if n, err := unix.Poll(p, 1000); n > 0 && err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: gate %d", errStays, g.pid)
}

// said is what the owner wrote.
func (v *invocation) said() string {
	b, _ := os.ReadFile(v.out.Name())
	return string(b)
}

// finish ends owner and gates, whatever state they are in.
func (v *invocation) finish() (err error) {
	v.look()
	if !v.ended() {
		err = v.cmd.Process.Kill()
		if errors.Is(err, os.ErrProcessDone) {
			err = nil
		}
		<-v.done
	}
	for _, g := range v.gates {
		if !g.alive() {
			continue
		}
		e := unix.PidfdSendSignal(g.pidfd, unix.SIGKILL, nil, 0)
		if e != nil && !errors.Is(e, unix.ESRCH) {
			err = errors.Join(err, e)
		}
		err = errors.Join(err, g.await())
	}
	return err
}

// forget gives back what was held of it.
func (v *invocation) forget() {
	for _, g := range v.gates {
		_ = unix.Close(g.pidfd)
	}
	_ = unix.Close(v.pidfd)
	_ = v.out.Close()
}
