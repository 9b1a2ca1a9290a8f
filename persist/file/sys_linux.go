package file

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// openBeneath refuses to leave dir and to follow any link. Names have one component, so where openat2 is missing or
// filtered away, O_NOFOLLOW says the same.
func openBeneath(dir int, name string, flags int) (int, error) {
	fd, err := unix.Openat2(dir, name, &unix.OpenHow{
		Flags:   uint64(flags | unix.O_LARGEFILE),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	switch err {
	case unix.ENOSYS, unix.EPERM, unix.EAGAIN, unix.E2BIG:
		return unix.Openat(dir, name, flags, 0)
	}
	return fd, err
}

// openNameless makes a file that vanishes with its descriptor unless it is linked.
func openNameless(dir int) (int, error) {
	fd, err := unix.Openat(dir, ".", unix.O_RDWR|unix.O_TMPFILE|unix.O_CLOEXEC, 0o600)
	switch err {
	case unix.EOPNOTSUPP, unix.EISDIR, unix.EINVAL, unix.ENOENT: // by file system and age of the kernel
		return -1, errors.ErrUnsupported
	}
	return fd, err
}

func (kernel) Link(fd, dir int, name string) error {
	return retry(func() error {
		err := unix.Linkat(fd, "", dir, name, unix.AT_EMPTY_PATH)
		if err == unix.ENOENT { // older kernels want a capability for that
			err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), dir, name, unix.AT_SYMLINK_FOLLOW)
		}
		return err
	})
}

func renameAt(from int, name string, to int, as string, how renaming) error {
	flags := [...]uint{over: 0, exclusive: unix.RENAME_NOREPLACE, exchange: unix.RENAME_EXCHANGE}[how]
	err := unix.Renameat2(from, name, to, as, flags)
	missing := err == unix.ENOSYS || err == unix.EINVAL
	switch {
	case missing && how == over:
		return unix.Renameat(from, name, to, as)
	case missing && how == exclusive:
		return linkRename(from, name, to, as)
	case missing:
		return errors.ErrUnsupported
	}
	return err
}

func (kernel) Reserve(fd int, size int64) error {
	return retry(func() error { return unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size) })
}

func (kernel) SyncData(fd int) error { return retry(func() error { return unix.Fdatasync(fd) }) }

func (kernel) Sync(fd int) error { return retry(func() error { return unix.Fsync(fd) }) }

func (kernel) Own(fd int) error    { return ofd(fd, unix.F_OFD_SETLK, unix.F_WRLCK) }
func (kernel) Disown(fd int) error { return ofd(fd, unix.F_OFD_SETLK, unix.F_UNLCK) }

func ofd(fd, cmd int, kind int16) error {
	return retry(func() error { return unix.FcntlFlock(uintptr(fd), cmd, &unix.Flock_t{Type: kind}) })
}

// ownedAsks: a probe never makes the lock look busy.
const ownedAsks = true

// owned asks without taking: a question that took the lock would itself be seen as a live owner.
func (kernel) Owned(fd int) (bool, error) {
	question := unix.Flock_t{Type: unix.F_WRLCK}
	err := retry(func() error { return unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &question) })
	return question.Type != unix.F_UNLCK, err
}
