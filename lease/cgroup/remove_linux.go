package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Remove removes the group, and the groups that were made in it before it, deepest first. ErrOccupied:
// a process is in one of them; then that one and those above stay. That it succeeds is one more proof
// that nobody was in it.
func (g *Group) Remove() error {
	if err := g.removeBelow(); err != nil {
		return g.unlessGone(err)
	}
	err, name := unix.EINTR, filepath.Base(g.place.Path)
	for range tries {
		err, _ = unix.Unlinkat(int(g.parent.Fd()), name, unix.AT_REMOVEDIR).(unix.Errno)
		if err != unix.EINTR {
			break
		}
	}
	switch err {
	case 0:
		return nil
	case unix.EBUSY:
		return fmt.Errorf("%w: %s", ErrOccupied, g.place.Path)
	}
	return g.unlessGone(&os.PathError{Op: "rmdir", Path: g.place.Path, Err: err})
}

// removeBelow removes the groups in g.
func (g *Group) removeBelow() error {
	names, err := subgroups(g.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		sub, err := open(g.dir, filepath.Join(g.place.Path, name))
		if errors.Is(err, ErrGone) {
			continue
		}
		if err == nil {
			err = sub.Remove()
			sub.dir.Close()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the group of a recorded place, as Group.Remove does. A group that is gone, or in
// whose place there is another one, is no error.
func Remove(p Place) error {
	g, err := Open(p)
	if errors.Is(err, ErrGone) {
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
	case errors.Is(err, ErrGone):
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
