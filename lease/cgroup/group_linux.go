package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Group is an open group. Its methods are safe for concurrent use; the caller closes it, which changes nothing in it.
type Group struct {
	place       Place
	parent, dir *os.File
}

// resolve keeps a look-up in one mount: what is mounted over a group is not the group.
const resolve = unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH

// errGone: there is no such group any more.
var errGone = errors.New("the control group is gone")

// Make makes a group named name in the directory parent, and opens it. ErrUnavailable.
func Make(parent, name string) (*Group, error) {
	path := filepath.Join(parent, name)
	up, err := openParent(parent)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := unix.Mkdirat(int(up.Fd()), name, 0o755); err != nil {
		up.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, &os.PathError{Op: "mkdir", Path: path, Err: err})
	}
	g, err := open(up, path)
	if err != nil {
		_ = unix.Unlinkat(int(up.Fd()), name, unix.AT_REMOVEDIR)
		up.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	g.place.ParentInode, err = inode(up)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnavailable, err), g.Remove(), g.Close())
	}
	return g, nil
}

// Open opens the group of a recorded place. An error where it is not certain that it is that very group.
func Open(p Place) (*Group, error) {
	up, err := openParent(filepath.Dir(p.Path))
	if err != nil {
		return nil, err
	}
	n, err := inode(up)
	if err == nil && n != p.ParentInode {
		err = fmt.Errorf("%s is not the directory that it was (inode %d, recorded %d)", up.Name(), n, p.ParentInode)
	}
	if err != nil {
		up.Close()
		return nil, err
	}
	g, err := open(up, p.Path)
	if err != nil {
		up.Close()
		return nil, err
	}
	if g.place.Inode != p.Inode {
		g.Close()
		return nil, fmt.Errorf("%s is another group: %w", p.Path, errGone)
	}
	g.place = p
	return g, nil
}

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

// open opens the group at path, which lies in parent, and takes parent over.
func open(parent *os.File, path string) (*Group, error) {
	dir, err := openIn(parent, filepath.Base(path), unix.O_RDONLY|unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOENT) {
		return nil, fmt.Errorf("%s: %w", path, errGone)
	}
	if err != nil {
		return nil, err
	}
	n, err := inode(dir)
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &Group{place: Place{Path: path, Inode: n}, parent: parent, dir: dir}, nil
}

func openIn(dir *os.File, name string, flags uint64) (*os.File, error) {
	path := filepath.Join(dir.Name(), name)
	for {
		fd, err := unix.Openat2(int(dir.Fd()), name, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: resolve})
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case err != unix.EINTR && err != unix.EAGAIN:
			return nil, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

func inode(f *os.File) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, &os.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return st.Ino, nil
}

// Place returns which group this is, for a record.
func (g *Group) Place() Place { return g.place }

// FD returns the descriptor that a process is cloned into the group by. It is the group's.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// Close lets go of the group.
func (g *Group) Close() error { return errors.Join(g.dir.Close(), g.parent.Close()) }

// Kill sends SIGKILL to every process in the group and below it, at one stroke, those that are being forked included, and
// whoever they belong to. A group that is gone is no error.
func (g *Group) Kill() error {
	f, err := openIn(g.dir, "cgroup.kill", unix.O_WRONLY)
	if err == nil {
		_, err = f.WriteString("1")
		err = errors.Join(err, f.Close())
	}
	if isGone(err) {
		return nil
	}
	return err
}

// Await waits until no process is in the group or below, at most for limit, and reports whether that came true. A
// group that is gone is empty. An error: it could not be told.
func (g *Group) Await(limit time.Duration) (bool, error) {
	f, err := openIn(g.dir, "cgroup.events", unix.O_RDONLY)
	if err != nil {
		return isGone(err), unlessGone(err)
	}
	defer f.Close()
	for end := time.Now().Add(limit); ; {
		b := make([]byte, 256)
		n, err := unix.Pread(int(f.Fd()), b, 0)
		if err != nil {
			return isGone(err), unlessGone(err)
		}
		if some, err := populated(b[:n]); !some || err != nil {
			return !some, err
		}
		left := time.Until(end)
		if left <= 0 {
			return false, nil
		}
		// The kernel wakes the reader of cgroup.events when it changes.
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLPRI}}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return false, os.NewSyscallError("poll", err)
		}
	}
}

// isGone recognizes the kernel's answers about a group that was removed while it was open.
func isGone(err error) bool {
	return errors.Is(err, errGone) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT)
}

func unlessGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}
