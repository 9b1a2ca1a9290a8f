//go:build unix

package cli

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// forwarded lists every signal that can be caught and means something to a plugin: not URG, CHLD and PIPE, nor what
// Go's run-time raises for itself. 32 and 33 are the C library's own.
func forwarded() []os.Signal {
	var list []os.Signal
	for s := syscall.Signal(1); s < 65; s++ {
		switch s {
		case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGURG, syscall.SIGCHLD, syscall.SIGPIPE,
			syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGPROF, 32, 33:
		default:
			list = append(list, s)
		}
	}
	return list
}

// stopping are the signals that stop whoever does not catch them.
var stopping = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}

// stopToo stops this program when its plugin was stopped, or would have been, so that the shell that waits for us, and not for the plugin, has its terminal
// back; it returns when we go on (fg, bg). It is a STOP in any case: Go keeps a signal that it once caught from its default effect.
func (caught) stopToo(os.Signal) {
	if shellWaits() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}

// shellWaits reports whether our parent is in another process group of our session. If it is not, we are no job of it: it
// would not notice that we stopped, and nobody might let us go on.
func shellWaits() bool {
	parent := os.Getppid()
	group, err := unix.Getpgid(parent)
	if err != nil || group == unix.Getpgrp() {
		return false
	}
	session, err := unix.Getsid(parent)
	own, ownErr := unix.Getsid(0)
	return err == nil && ownErr == nil && session == own
}
