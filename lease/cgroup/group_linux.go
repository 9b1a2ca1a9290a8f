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

// makings bounds how often a group is made again that a sweep took away before it was held.
const makings = 8

// Make makes a group named name in the directory parent, opens it and holds it, as Group.Hold says,
// until it is closed. ErrUnavailable.
func Make(parent, name string) (*Group, error) {
	g, err := makeHeld(parent, name)
	if err != nil {
		return nil, err
	}
	if g.place.ParentInode, err = inode(g.parent); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnavailable, err), g.Remove(), g.Close())
	}
	// Without a chain the group is looked at by way of its parent alone.
	if inodes, err := climb(g.parent); err == nil {
		g.place.Chain = writeChain(append(inodes, g.place.Inode))
		up, err := g.place.walk()
		if err != nil {
			g.place.Chain = ""
		} else {
			up.Close()
		}
	}
	return g, nil
}

// makeHeld is Make for a group that is never recorded.
func makeHeld(parent, name string) (*Group, error) {
	up, err := openParent(parent)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for range makings {
		var g *Group
		if g, err = makeIn(up, filepath.Join(parent, name)); err == nil {
			return g, nil
		}
		if !errors.Is(err, ErrGone) {
			break
		}
	}
	up.Close()
	return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// makeIn makes a group in up and takes up over. ErrGone: a sweep removed it before it was held.
func makeIn(up *os.File, path string) (*Group, error) {
	name := filepath.Base(path)
	if err := unix.Mkdirat(int(up.Fd()), name, 0o755); err != nil {
		return nil, &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	g, err := open(up, path)
	if err == nil {
		if err = g.Hold(); err == nil {
			return g, nil
		}
		g.dir.Close()
	}
	if !errors.Is(err, ErrGone) {
		_ = unix.Unlinkat(int(up.Fd()), name, unix.AT_REMOVEDIR)
	}
	return nil, err
}

// Open opens the group of a recorded place. An error where it is not certain that it is that very
// group; ErrGone where it is certain that it was removed.
func Open(p Place) (*Group, error) {
	up, err := p.parent()
	if err != nil {
		return nil, err
	}
	g, err := open(up, p.Path)
	if err == nil && g.place.Inode != p.Inode {
		g.dir.Close()
		err = fmt.Errorf("%s is another group: %w", p.Path, ErrGone)
	}
	if err != nil {
		up.Close()
		return nil, err
	}
	g.place = p
	return g, nil
}

// parent opens the directory that the group lies in: straight, and if that is not the recorded one, by
// the chain, which may tell that it is gone.
func (p Place) parent() (*os.File, error) {
	up, err := openParent(filepath.Dir(p.Path))
	if err == nil {
		if err = isStill(up, p.ParentInode); err == nil {
			return up, nil
		}
		up.Close()
	}
	if p.Chain == "" {
		return nil, err
	}
	return p.walk()
}

// open opens the group at path, which lies in parent, and takes parent over.
func open(parent *os.File, path string) (*Group, error) {
	dir, err := openIn(parent, filepath.Base(path), unix.O_RDONLY|unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOENT) {
		return nil, fmt.Errorf("%s: %w", path, ErrGone)
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

// Place returns which group this is, for a record.
func (g *Group) Place() Place { return g.place }

// FD returns the descriptor that a process is cloned into the group by. It is the group's.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// Close lets go of the group.
func (g *Group) Close() error { return errors.Join(g.dir.Close(), g.parent.Close()) }

// Kill sends SIGKILL to every process in the group and below it, at one stroke, those that are being
// forked included, and whoever they belong to. A group that is gone is no error.
func (g *Group) Kill() error {
	f, err := openIn(g.dir, "cgroup.kill", unix.O_WRONLY)
	if err == nil {
		_, err = f.WriteString("1")
		err = errors.Join(err, f.Close())
	}
	return g.unlessGone(err)
}

// Await waits until no process is in the group or below, at most for limit, and reports whether that
// came true. A group that is gone is empty. An error: it could not be told.
func (g *Group) Await(limit time.Duration) (bool, error) {
	f, err := openIn(g.dir, "cgroup.events", unix.O_RDONLY)
	if err != nil {
		err = g.unlessGone(err)
		return err == nil, err
	}
	defer f.Close()
	for end := time.Now().Add(limit); ; {
		b := make([]byte, 256)
		n, err := unix.Pread(int(f.Fd()), b, 0)
		if err != nil {
			err = g.unlessGone(&os.PathError{Op: "read", Path: f.Name(), Err: err})
			return err == nil, err
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
		switch _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err {
		case nil:
		case unix.EINTR:
			time.Sleep(time.Millisecond) // interrupted at every call, it would spin until the end
		default:
			return false, os.NewSyscallError("poll", err)
		}
	}
}

// there looks the group up again by its name. ErrGone: it is not there, or another one is.
func (g *Group) there() error {
	f, err := step(g.parent, filepath.Base(g.place.Path), g.place.Inode)
	if err != nil {
		return err
	}
	return f.Close()
}

// unlessGone is err, or nil where err is what the kernel answers about a group that was removed while
// it was open. Alone it proves nothing: a file that this kernel does not have gives ENOENT too.
func (g *Group) unlessGone(err error) error {
	removed := errors.Is(err, ErrGone) || errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENOENT)
	if removed && errors.Is(g.there(), ErrGone) {
		return nil
	}
	return err
}
