//go:build darwin || freebsd

package file

import (
	"errors"

	"golang.org/x/sys/unix"
)

func openBeneath(dir int, name string, flags int) (int, error) {
	return unix.Openat(dir, name, flags, 0)
}

func openNameless(int) (int, error) { return -1, errors.ErrUnsupported }

func (kernel) link(int, int, string) error { return errors.ErrUnsupported }

func renameAt(from int, name string, to int, as string, how renaming) error {
	switch how {
	case over:
		return unix.Renameat(from, name, to, as)
	case exclusive:
		return linkRename(from, name, to, as)
	}
	return errors.ErrUnsupported
}

func (kernel) reserve(int, int64) error { return errors.ErrUnsupported }

func (k kernel) syncData(fd int) error { return k.sync(fd) }

func (kernel) own(fd int) error    { return kernel{}.flock(fd, lockExclusive) }
func (kernel) disown(fd int) error { return kernel{}.flock(fd, unlock) }

const ownedAsks = false

// owned has to take a shared lock for a moment: an owner in waiting may see it as busy and tries again.
func (k kernel) owned(fd int) (bool, error) {
	switch err := k.flock(fd, lockShared); {
	case errors.Is(err, errBusy):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, k.flock(fd, unlock)
}

var filesystems = map[string]bool{"apfs": true, "hfs": true, "ufs": true, "zfs": true, "tmpfs": true}

func (kernel) filesystem(fd int) (filesystem, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return filesystem{}, err
	}
	name := unix.ByteSliceToString(st.Fstypename[:])
	return filesystem{name: name, known: filesystems[name]}, nil
}
