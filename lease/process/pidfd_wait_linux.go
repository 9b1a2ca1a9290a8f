package process

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Wait returns nil when the process has ended, or the cause of ctx's end. It
// reaps nothing. The runtime's poller does the waiting: no thread is held.
func (p *Pidfd) Wait(ctx context.Context) error {
	waiter, err := p.waiter()
	if err != nil {
		return err
	}
	defer func() { _ = waiter.Close() }()
	conn, err := waiter.SyscallConn()
	if err != nil {
		return p.fail("wait for", err)
	}
	past := time.Unix(1, 0)
	stop := context.AfterFunc(ctx, func() { _ = waiter.SetReadDeadline(past) })
	defer stop()

	var pollErr error
	err = conn.Read(func(fd uintptr) bool {
		var exited bool
		exited, pollErr = readable(int(fd))
		return exited || pollErr != nil
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return context.Cause(ctx)
	}
	return p.fail("wait for", cmp.Or(err, pollErr))
}

// waiter returns a descriptor of one wait's own, so that the deadline which ends
// it ends no other.
func (p *Pidfd) waiter() (*os.File, error) {
	var waiter *os.File
	err := p.control("wait for", func(fd int) error {
		dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return os.NewSyscallError("dup", err)
		}
		// The runtime polls only what does not block.
		if err := unix.SetNonblock(dup, true); err != nil {
			_ = unix.Close(dup)
			return os.NewSyscallError("fcntl", err)
		}
		waiter = os.NewFile(uintptr(dup), "pidfd")
		return nil
	})
	return waiter, err
}

// tries bounds how often a poll is made again that was interrupted: nothing interrupts for ever.
const tries = 100

// readable polls a pidfd without waiting: it is readable once its process ended.
// Nothing else that poll says of it proves an end.
func readable(fd int) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	for i := 0; err == unix.EINTR && i < tries; i++ {
		n, err = unix.Poll(fds, 0)
	}
	switch {
	case err != nil:
		return false, os.NewSyscallError("poll", err)
	case n == 0:
		return false, nil
	case fds[0].Revents&unix.POLLIN == 0:
		return false, os.NewSyscallError("poll", unix.EBADF)
	}
	return true, nil
}
