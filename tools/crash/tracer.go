//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// traceTree VICTIM N COMMAND ARGS... runs the command and everything that it starts to the end of the last of them, and kills at
// the N-th system call of the tree, whoever makes it: the process that makes it (VICTIM is "one"), or all. strace counts
// for each thread by itself, so it cannot. It prints how many calls there were, and who was killed; N 0 kills nobody.
func traceTree(args []string) error {
	runtime.LockOSThread() // a tracer is a thread
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	c := exec.Command(args[2], args[3:]...)
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return err
	}
	t := tracer{root: c.Process.Pid, n: n, all: args[0] == "all", alive: map[int]bool{}}
	if err := t.follow(); err != nil {
		return err
	}
	fmt.Printf("%d %s\n", t.calls, t.killed)
	return nil
}

type tracer struct {
	root, n, calls int
	all            bool
	alive          map[int]bool // threads
	killed         string
}

const (
	everyBirth     = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK
	options        = everyBirth | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	syscallStop    = syscall.SIGTRAP | 0x80
	getSyscallInfo = 0x420e
	entering       = 1 // the first byte of what it gets
)

// follow lets the tree go from stop to stop until nothing of it is left.
func (t *tracer) follow() error {
	for {
		var ws unix.WaitStatus
		tid, err := unix.Wait4(-1, &ws, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return err
		}
		if !ws.Stopped() {
			delete(t.alive, tid)
			continue
		}
		if err := t.resume(tid, ws); err != nil && !errors.Is(err, unix.ESRCH) { // it was killed in its stop
			return fmt.Errorf("tracing %d: %w", tid, err)
		}
	}
}

// resume deals with one stop: the first of a thread and those of the tracer's own making carry no signal.
func (t *tracer) resume(tid int, ws unix.WaitStatus) error {
	signal := ws.StopSignal()
	if !t.alive[tid] {
		t.alive[tid] = true
		if tid == t.root {
			if err := unix.PtraceSetOptions(tid, options); err != nil {
				return err
			}
		}
		if signal == syscall.SIGSTOP || signal == syscall.SIGTRAP {
			signal = 0
		}
	}
	switch {
	case signal == syscallStop:
		signal = 0
		if entry, err := isEntry(tid); err != nil {
			return err
		} else if entry {
			if t.calls++; t.calls == t.n {
				t.kill(tid)
			}
		}
	case signal == syscall.SIGTRAP && ws.TrapCause() > 0:
		signal = 0
	}
	return unix.PtraceSyscall(tid, int(signal))
}

// kill ends the process of the thread, or the whole tree at once: nobody of it acts between the first and the last one's death,
// for each is stopped or about to be.
func (t *tracer) kill(tid int) {
	process := groupOf(tid)
	t.killed = "another"
	switch {
	case t.all:
		t.killed = "all"
		for thread := range t.alive {
			_ = unix.Kill(groupOf(thread), unix.SIGKILL) // it may have ended
		}
		return
	case process == t.root:
		t.killed = "owner"
	}
	_ = unix.Kill(process, unix.SIGKILL)
}

// groupOf is the process of a thread that is stopped, and so there; or the thread itself, which is then on its way out.
func groupOf(tid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return tid
	}
	_, after, _ := strings.Cut(string(status), "\nTgid:\t")
	number, _, _ := strings.Cut(after, "\n")
	if n, err := strconv.Atoi(number); err == nil {
		return n
	}
	return tid
}

func isEntry(tid int) (bool, error) {
	var info [88]byte
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid), uintptr(len(info)), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return false, errno
	}
	return info[0] == entering, nil
}
