package file

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// fewestParts makes a directory a home, whatever its mode and whosever it is: a whole one has five, and no other directory
// has these names by chance.
const fewestParts = 3

// isHome asks whether there is a home at the path, before anything else is asked about it: of what is none nothing has to be
// changed. ErrNoHome; *UnsafeError where a link leads to one, or where it cannot be looked at.
func isHome(sys system, path string) error {
	i, err := sys.Lstat(cwd, path)
	switch {
	case err != nil:
		return unlessAbsent(path, err)
	case i.Mode.Type() == fs.ModeSymlink:
		return linkedHome(sys, path, i)
	case !i.Mode.IsDir():
		return fmt.Errorf("%w in %s: it is %s", ErrNoHome, path, kindName(i.Mode))
	}
	n, err := countParts(sys, path)
	switch {
	case err != nil:
		return unseen(sys, path, i, err)
	case n < fewestParts:
		return fmt.Errorf("%w in %s: the directory has no leases", ErrNoHome, path)
	}
	return nil
}

// unlessAbsent turns the absence of a path into ErrNoHome.
func unlessAbsent(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w in %s: %w", ErrNoHome, path, err)
	case errors.Is(err, ErrUnsafe):
		return err
	}
	return &fs.PathError{Op: "look at", Path: path, Err: err}
}

// linkedHome is isHome of a symbolic link.
func linkedHome(sys system, path string, i info) error {
	target := leadsTo(sys, path)
	if n, err := countParts(sys, path); err == nil && n < fewestParts {
		return fmt.Errorf("%w in %s: it is a symbolic link, and leads to none (%s)", ErrNoHome, path, target)
	}
	return checkPrivateDir(sys, path, i)
}

// unseen says why a directory could not be looked into. It may be no home, so Found.Inode stays 0.
func unseen(sys system, path string, i info, err error) error {
	bad := checkPrivateDir(sys, path, i)
	if e, ok := bad.(*UnsafeError); ok {
		e.Found.Inode = 0
		return e
	}
	return &fs.PathError{Op: "look into", Path: path, Err: err}
}

// countParts counts what a home has and others have not.
func countParts(sys system, path string) (n int, err error) {
	for _, name := range append([]string{lockName}, parts...) {
		switch _, err := sys.Lstat(cwd, filepath.Join(path, name)); {
		case err == nil:
			n++
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return n, err
		}
	}
	return n, nil
}

// leadsTo is the place that a path leads to in the end; "" where it cannot be told.
func leadsTo(sys system, path string) string {
	at, err := resolve(sys, path, func(string, info) error { return nil })
	if err != nil {
		return ""
	}
	if _, err := sys.Lstat(cwd, at); err != nil {
		return ""
	}
	return at
}
