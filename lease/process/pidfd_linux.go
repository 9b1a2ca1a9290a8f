package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Pidfd holds on to one process: whatever becomes of its pid, it means this one.
// It keeps nothing alive. Safe for concurrent use; the caller closes it, and
// every method but Inode fails with os.ErrClosed after that.
type Pidfd struct {
	file  *os.File
	pid   int64
	inode uint64
}

// OpenPidfd takes hold of the process that has the pid now: a child of the caller
// that is not yet waited for, or one whose Identity is compared afterwards. It
// fails with ErrNotFound where no process has the pid (a zombie still has, a
// thread's id is none), and with ErrUnsupported where the kernel has no pidfds.
func OpenPidfd(pid int64) (*Pidfd, error) {
	if pid < 1 || pid > maxPID {
		return nil, fmt.Errorf("pid %d: %w", pid, ErrNotFound)
	}
	fd, err := unix.PidfdOpen(int(pid), 0)
	switch {
	case err == nil:
		return &Pidfd{file: os.NewFile(uintptr(fd), "pidfd"), pid: pid, inode: pidfsInode(fd)}, nil
	case errors.Is(err, unix.ESRCH):
		err = ErrNotFound
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // later kernels say ENOENT
		err = fmt.Errorf("%w (this is the id of a thread)", ErrNotFound)
	case errors.Is(err, unix.ENOSYS):
		err = ErrUnsupported
	default:
		err = os.NewSyscallError("pidfd_open", err)
	}
	return nil, fmt.Errorf("pid %d: %w", pid, err)
}

// pidfsInode is 0 before Linux 6.9, where all pidfds share one inode.
func pidfsInode(fd int) uint64 {
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Fstatfs(fd, &fs) != nil || fs.Type != unix.PID_FS_MAGIC || unix.Fstat(fd, &st) != nil {
		return 0
	}
	return st.Ino
}

// Inode returns the process's inode on pidfs, 0 where this is not known.
func (p *Pidfd) Inode() uint64 { return p.inode }

// Exited tells whether the process has ended, all its threads with it. A zombie
// has; a stopped process has not.
func (p *Pidfd) Exited() (bool, error) {
	var exited bool
	err := p.control("poll", func(fd int) (err error) {
		exited, err = readable(fd)
		return err
	})
	return exited, err
}

// Signal sends sig to the process, never to another that got its pid. It fails
// with ErrNotFound when the process is gone; a zombie takes signals in silence.
func (p *Pidfd) Signal(sig syscall.Signal) error {
	return p.control("signal", func(fd int) error {
		err := unix.PidfdSendSignal(fd, sig, nil, 0)
		if errors.Is(err, unix.ESRCH) {
			return ErrNotFound
		}
		return os.NewSyscallError("pidfd_send_signal", err)
	})
}

// Reap takes the process out of the table if it has ended and is our child by now: an orphan that came to an init or a child
// subreaper which did not start it. It waits for nothing. The error is unix.ECHILD where it is no child of ours. Never for
// what an os.Process of this program waits for.
func (p *Pidfd) Reap() error {
	return p.control("reap", func(fd int) error {
		return os.NewSyscallError("waitid", unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG, nil))
	})
}

// Close lets go of the process, which goes on undisturbed. It does not end a
// Wait that has begun.
func (p *Pidfd) Close() error { return p.file.Close() }

// control runs f while the descriptor is sure to stay open.
func (p *Pidfd) control(what string, f func(fd int) error) error {
	conn, err := p.file.SyscallConn()
	if err != nil {
		return p.fail(what, err)
	}
	var failed error
	if conn.Control(func(fd uintptr) { failed = f(int(fd)) }) != nil {
		return p.fail(what, os.ErrClosed) // Control has no other failure, but says it in its own words
	}
	return p.fail(what, failed)
}

func (p *Pidfd) fail(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s pid %d: %w", what, p.pid, err)
}
