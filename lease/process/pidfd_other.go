//go:build !linux

package process

import (
	"context"
	"syscall"
)

// Pidfd holds on to one process. Only Linux can; elsewhere there is none.
type Pidfd struct{}

// OpenPidfd fails with ErrUnsupported: this operating system has no handle by
// which any process could be held without racing for its pid.
func OpenPidfd(int64) (*Pidfd, error) { return nil, ErrUnsupported }

// Inode returns 0: not known.
func (*Pidfd) Inode() uint64 { return 0 }

// Exited fails with ErrUnsupported.
func (*Pidfd) Exited() (bool, error) { return false, ErrUnsupported }

// Wait fails with ErrUnsupported.
func (*Pidfd) Wait(context.Context) error { return ErrUnsupported }

// Reap fails with ErrUnsupported.
func (*Pidfd) Reap() error { return ErrUnsupported }

// Signal fails with ErrUnsupported.
func (*Pidfd) Signal(syscall.Signal) error { return ErrUnsupported }

// Close does nothing.
func (*Pidfd) Close() error { return nil }
