package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks is what the kernel follows too.
const mostLinks = 40

// checkParents refuses a home whose place others can give to another directory: every directory above it, and above every
// link on the way there, has to be root's or ours, and not to be written to by others unless it is sticky. That is what sshd
// asks of the directories above authorized_keys. *UnsafeError. What does not exist yet is made by us, and so is ours.
func (o options) checkParents(path string) error {
	if o.trustParents {
		return nil
	}
	me := uint32(os.Geteuid())
	_, err := resolve(o.sys, filepath.Dir(path), func(at string, i info) error { return checkParent(at, i, me) })
	return err
}

// checkParent judges one directory or link. In a sticky directory everybody has names of his own, so whose each is, is asked of a
// link as well.
func checkParent(path string, i info, me uint32) error {
	e := &UnsafeError{Path: path, Found: Look{Mode: i.Mode, UID: i.UID}, Wanted: Look{Mode: fs.ModeDir | i.Mode.Perm()&^0o022, UID: me}}
	switch {
	case i.UID != 0 && i.UID != me && !outsider(i.UID):
		e.Flaw = ParentOwner
	case i.Mode.IsDir() && i.Mode&0o022 != 0 && i.Mode&fs.ModeSticky == 0:
		e.Flaw = ParentMode
	default:
		return nil
	}
	return e
}

// resolve walks to where the path leads, as the kernel does, and has every directory and link on the way looked at. It ends where
// something does not exist, and then returns the rest of the path as it is.
func resolve(sys system, path string, look func(at string, i info) error) (string, error) {
	at, rest, links := "/", strings.Split(path, "/"), 0
	for first := true; first || len(rest) > 0; first = false {
		name := "."
		if !first {
			name, rest = rest[0], rest[1:]
			if name == "" {
				continue
			}
		}
		next := filepath.Join(at, name)
		i, err := sys.Lstat(cwd, next)
		if err != nil {
			return filepath.Join(append([]string{next}, rest...)...), unlessMissing(next, err)
		}
		if err := look(next, i); err != nil {
			return next, err
		}
		if i.Mode.Type() != fs.ModeSymlink {
			at = next
			continue
		}
		target, err := sys.Readlink(cwd, next)
		if links++; err == nil && links > mostLinks {
			err = syscall.ELOOP
		}
		if err != nil {
			return next, &fs.PathError{Op: "follow", Path: next, Err: err}
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

func unlessMissing(path string, err error) error {
	if err == syscall.ENOENT || err == syscall.ENOTDIR {
		return nil
	}
	return &fs.PathError{Op: "look at", Path: path, Err: err}
}
