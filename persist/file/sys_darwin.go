package file

import "golang.org/x/sys/unix"

// sync asks for F_FULLFSYNC: there, fsync alone stops at the drive's own cache.
func (kernel) Sync(fd int) error {
	return retry(func() error { _, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0); return err })
}
