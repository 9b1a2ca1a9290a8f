//go:build unix

package cli

import "syscall"

// nonBlocking keeps an open from waiting for the other end of a FIFO.
const nonBlocking = syscall.O_NONBLOCK
