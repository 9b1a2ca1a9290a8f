//go:build linux || darwin || freebsd

package file

import "golang.org/x/sys/unix"

func (kernel) Pread(fd int, b []byte, at int64) (int, error) {
	return retryN(func() (int, error) { return unix.Pread(fd, b, at) })
}

func (kernel) Pwrite(fd int, b []byte, at int64) (int, error) {
	return retryN(func() (int, error) { return unix.Pwrite(fd, b, at) })
}

func (kernel) Append(fd int, b []byte) (int, error) {
	return retryN(func() (int, error) { return unix.Write(fd, b) })
}

func (kernel) Truncate(fd int, size int64) error {
	return retry(func() error { return unix.Ftruncate(fd, size) })
}

func (kernel) SetMtime(dir int, name string, nanoseconds int64) error {
	when := []unix.Timespec{unix.NsecToTimespec(nanoseconds), unix.NsecToTimespec(nanoseconds)}
	return retry(func() error { return unix.UtimesNanoAt(dir, name, when, unix.AT_SYMLINK_NOFOLLOW) })
}

var flockOf = [...]int{lockShared: unix.LOCK_SH, lockExclusive: unix.LOCK_EX, unlock: unix.LOCK_UN}

func (kernel) Flock(fd int, how locking) error {
	op := flockOf[how]
	if how != unlock {
		op |= unix.LOCK_NB
	}
	return retry(func() error { return unix.Flock(fd, op) })
}

// AwaitFlock is waiter's.
func (kernel) AwaitFlock(fd int, how locking) error {
	return retry(func() error { return unix.Flock(fd, flockOf[how]) })
}

// close is never repeated: after EINTR the number may already be somebody else's.
func (kernel) Close(fd int) error { return unix.Close(fd) }
