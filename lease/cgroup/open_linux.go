package cgroup

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	// resolve keeps a look-up in one mount: what is mounted over a group is not the group.
	resolve = unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH
	// tries bounds how often a call is made again that was interrupted: nothing interrupts for ever.
	tries = 100
)

// openParent opens a directory that must be of the unified hierarchy.
func openParent(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	var fs unix.Statfs_t
	if err = unix.Fstatfs(fd, &fs); err == nil && fs.Type != unix.CGROUP2_SUPER_MAGIC {
		err = errors.New("it is not of the unified hierarchy (cgroup v2)")
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "look at", Path: path, Err: err}
	}
	return f, nil
}

func openIn(dir *os.File, name string, flags uint64) (*os.File, error) {
	return openBy(dir, name, flags, resolve)
}

func openBy(dir *os.File, name string, flags, resolve uint64) (f *os.File, err error) {
	path := filepath.Join(dir.Name(), name)
	how := unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: resolve}
	for range tries {
		fd, oerr := unix.Openat2(int(dir.Fd()), name, &how)
		if oerr == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if err = oerr; err != unix.EINTR && err != unix.EAGAIN {
			break
		}
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: err}
}

func inode(f *os.File) (uint64, error) {
	st, err := stat(f)
	return st.Ino, err
}

func stat(f *os.File) (st unix.Stat_t, err error) {
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return unix.Stat_t{}, &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return st, nil
}

// subgroups are the names of the groups in dir. They are read by a descriptor of their own, so that
// several can read at a time.
func subgroups(dir *os.File) (names []string, err error) {
	f, err := openIn(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}
