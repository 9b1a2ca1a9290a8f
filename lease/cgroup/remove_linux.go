package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Remove removes the group, and the groups that were made in it before it, deepest first. ErrOccupied: a process is in one of
// them; then that one and those above stay. That it succeeds is one more proof that nobody was in it.
func (g *Group) Remove() error { return removeIn(g.parent, filepath.Base(g.place.Path), g.dir) }

// removeIn removes the group name of parent, which is open as dir.
func removeIn(parent *os.File, name string, dir *os.File) error {
	for {
		// The names anew each time: a directory's offset is worth nothing after a removal.
		if _, err := dir.Seek(0, 0); err != nil {
			return unlessGone(err)
		}
		entries, err := dir.ReadDir(-1)
		if err != nil && !isGone(err) {
			return err
		}
		if err := removeAll(dir, entries); err != nil {
			return err
		}
		err = unix.Unlinkat(int(parent.Fd()), name, unix.AT_REMOVEDIR)
		switch {
		case err == nil, isGone(err):
			return nil
		case err == unix.EINTR:
		case err == unix.EBUSY:
			return fmt.Errorf("%w: %s", ErrOccupied, dir.Name())
		default:
			return &os.PathError{Op: "rmdir", Path: dir.Name(), Err: err}
		}
	}
}

// removeAll removes the groups among the entries of dir.
func removeAll(dir *os.File, entries []os.DirEntry) error {
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		sub, err := openIn(dir, e.Name(), unix.O_RDONLY|unix.O_DIRECTORY)
		if err == nil {
			err = removeIn(dir, e.Name(), sub)
			sub.Close()
		}
		if err := unlessGone(err); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the group of a recorded place, as Group.Remove does. A group that is gone, or in whose place there is another
// one, is no error.
func Remove(p Place) error {
	g, err := Open(p)
	if errors.Is(err, errGone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(g.Remove(), g.Close())
}

// Look tells the state of a recorded place, with the fact behind it in a few words. The caller has made sure that it asks
// in the cgroup namespace in which the place was recorded, on the same boot.
func Look(p Place) (State, string) {
	g, err := Open(p)
	switch {
	case errors.Is(err, errGone):
		return Gone, "the control group is removed"
	case err != nil:
		return Unknown, err.Error()
	}
	defer g.Close()
	empty, err := g.Await(0)
	switch {
	case err != nil:
		return Unknown, err.Error()
	case empty:
		return Vacant, "no process in the control group (populated 0)"
	}
	return Populated, "a process is in the control group (populated 1)"
}
