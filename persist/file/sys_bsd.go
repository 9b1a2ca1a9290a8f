//go:build darwin || freebsd

package file

import (
	"errors"

	"containlease/persist/internal/disk"

	"golang.org/x/sys/unix"
)

func openBeneath(dir int, name string, flags int) (int, error) {
	return unix.Openat(dir, name, flags, 0)
}

func openNameless(int) (int, error) { return -1, errors.ErrUnsupported }

func (kernel) Link(int, int, string) error { return errors.ErrUnsupported }

func renameAt(from int, name string, to int, as string, how renaming) error {
	switch how {
	case over:
		return unix.Renameat(from, name, to, as)
	case exclusive:
		return linkRename(from, name, to, as)
	}
	return errors.ErrUnsupported
}

func (kernel) Reserve(int, int64) error { return errors.ErrUnsupported }

func (k kernel) SyncData(fd int) error { return k.Sync(fd) }

func (kernel) Own(fd int) error    { return kernel{}.Flock(fd, lockExclusive) }
func (kernel) Disown(fd int) error { return kernel{}.Flock(fd, unlock) }

const ownedAsks = false

// owned has to take a shared lock for a moment: an owner in waiting may see it as busy and tries again.
func (k kernel) Owned(fd int) (bool, error) {
	switch err := k.Flock(fd, lockShared); {
	case errors.Is(err, errBusy):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, k.Flock(fd, unlock)
}

func (kernel) Born(fd int) (int64, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil {
		return 0, err
	}
	return unix.TimespecToNsec(st.Btim), nil
}

// outsider: there are no user namespaces.
func outsider(uint32) bool { return false }

var filesystems = map[string]bool{"apfs": true, "hfs": true, "ufs": true, "zfs": true, "tmpfs": true}

func (kernel) Filesystem(fd int) (filesystem, error) {
	var st unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &st) }); err != nil {
		return filesystem{}, err
	}
	name := unix.ByteSliceToString(st.Fstypename[:])
	return filesystem{Name: name, Known: filesystems[name], Cuts: disk.CutsUntried}, nil
}
