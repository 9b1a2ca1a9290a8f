//go:build unix

package cli

import (
	"os"
	"syscall"
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
