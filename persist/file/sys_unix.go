//go:build linux || darwin || freebsd

package file

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// cwd stands for "the name is an absolute path".
const cwd = unix.AT_FDCWD

const careful = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_NOCTTY

// kernel is the system itself.
type kernel struct{}

func newSystem() (system, error) { return kernel{}, nil }

// retry repeats an interrupted call. That includes a sync: interrupted is not failed. It gives up in
// the end: what is interrupted a hundred times is not interrupted by signals.
func retry(call func() error) (err error) {
	for range 100 {
		if err = call(); err != unix.EINTR {
			break
		}
	}
	return err
}

func retryN(call func() (int, error)) (n int, err error) {
	err = retry(func() (e error) { n, e = call(); return e })
	return n, err
}

func (kernel) OpenDir(dir int, name string) (int, error) {
	return retryN(func() (int, error) {
		return unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
}

func (kernel) Open(dir int, name string, a access) (int, error) {
	flags := careful | [...]int{reading: unix.O_RDONLY, writing: unix.O_RDWR, appending: unix.O_RDWR | unix.O_APPEND}[a]
	return retryN(func() (int, error) { return openBeneath(dir, name, flags) })
}

func (kernel) Create(dir int, name string) (int, error) {
	fd, err := retryN(func() (int, error) {
		if name == "" {
			return openNameless(dir)
		}
		return unix.Openat(dir, name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|careful, 0o600)
	})
	if err != nil {
		return -1, err
	}
	// The umask may have taken bits away, so the mode is said again.
	if err := retry(func() error { return unix.Fchmod(fd, 0o600) }); err != nil {
		_ = unix.Close(fd)
		if name != "" {
			_ = unix.Unlinkat(dir, name, 0)
		}
		return -1, err
	}
	return fd, nil
}

// mkdir says the mode again by name: under some umasks the new directory cannot even be opened.
func (kernel) Mkdir(dir int, name string) error {
	if err := retry(func() error { return unix.Mkdirat(dir, name, 0o700) }); err != nil {
		return err
	}
	return retry(func() error { return unix.Fchmodat(dir, name, 0o700, 0) })
}

func (kernel) Rename(dir int, from, to string, how renaming) error {
	return retry(func() error { return renameAt(dir, from, dir, to, how) })
}

func (kernel) Move(from int, name string, to int, as string) error {
	return retry(func() error { return renameAt(from, name, to, as, exclusive) })
}

// linkRename is the exclusive rename of systems that have none: two names for a moment, never none.
func linkRename(from int, name string, to int, as string) error {
	if err := unix.Linkat(from, name, to, as, 0); err != nil {
		return err
	}
	return unix.Unlinkat(from, name, 0)
}

func (kernel) Unlink(dir int, name string) error {
	return retry(func() error { return unix.Unlinkat(dir, name, 0) })
}

func (kernel) Rmdir(dir int, name string) error {
	return retry(func() error { return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) })
}

func (kernel) Readlink(dir int, name string) (string, error) {
	b := make([]byte, unix.PathMax)
	n, err := retryN(func() (int, error) { return unix.Readlinkat(dir, name, b) })
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}

func (k kernel) Names(dir int) ([]string, error) {
	fd, err := k.OpenDir(dir, ".")
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	names, err := f.Readdirnames(-1)
	var errno unix.Errno
	if errors.As(err, &errno) {
		return nil, errno
	}
	return names, err
}

func (kernel) Stat(fd int) (info, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(fd, &st) })
	return infoOf(&st), err
}

func (kernel) Lstat(dir int, name string) (info, error) {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return infoOf(&st), err
}

func infoOf(st *unix.Stat_t) info {
	return info{
		Inode: inode{Dev: uint64(st.Dev), Ino: uint64(st.Ino)},
		Mode:  modeOf(uint32(st.Mode)),
		UID:   st.Uid,
		Links: uint64(st.Nlink),
		Size:  st.Size,
		Mtime: unix.TimespecToNsec(st.Mtim),
		Ctime: unix.TimespecToNsec(st.Ctim),
	}
}

var modeBits = [...]struct {
	unix uint32
	mode fs.FileMode
}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}}

func modeOf(st uint32) fs.FileMode {
	mode := fs.FileMode(st & 0o777)
	for _, b := range modeBits {
		if st&b.unix != 0 {
			mode |= b.mode
		}
	}
	switch st & unix.S_IFMT {
	case unix.S_IFREG:
		return mode
	case unix.S_IFDIR:
		return mode | fs.ModeDir
	case unix.S_IFLNK:
		return mode | fs.ModeSymlink
	case unix.S_IFIFO:
		return mode | fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return mode | fs.ModeSocket
	case unix.S_IFCHR, unix.S_IFBLK:
		return mode | fs.ModeDevice
	}
	return mode | fs.ModeIrregular
}
