package file

import (
	"fmt"
	"io/fs"
	"os"

	"containlease/persist"
)

// checkPrivateDir demands a directory of exactly 0700 that is ours. path was seen to be of a home.
func checkPrivateDir(sys system, path string, i info) error {
	e := &UnsafeError{Path: path, Found: lookOf(i), Wanted: Look{Mode: fs.ModeDir | 0o700, UID: uint32(os.Geteuid())}}
	switch {
	case i.Mode.Type() == fs.ModeSymlink:
		e.Flaw, e.Found.Target, e.Found.Inode = Linked, leadsTo(sys, path), 0
	case !i.Mode.IsDir():
		e.Flaw, e.Found.Inode = NotADirectory, 0
	case i.UID != e.Wanted.UID:
		e.Flaw = WrongOwner
	case i.Mode != e.Wanted.Mode:
		e.Flaw = WrongMode
	default:
		return nil
	}
	return e
}

func lookOf(i info) Look { return Look{Mode: i.Mode, UID: i.UID, Inode: i.Ino} }

// onItsWay is a finding that may be about a moment only: it is looked at again, and is err if it stays.
type onItsWay struct{ err error }

func (e *onItsWay) Error() string { return e.err.Error() }

// privacy is notPrivate, with patience for a second name: whoever makes a file and links it has two for a moment.
func (d *dir) privacy(name string, i info) error {
	bad := d.notPrivate(name, i)
	switch {
	case bad == nil:
		return nil
	case bad.Kind == persist.NotPrivate && i.Links > 1 && i.UID == d.me && i.Mode&0o077 == 0:
		return &onItsWay{bad}
	}
	return bad
}

// notPrivate says why a file is not a regular file of ours alone; nil where it is.
func (d *dir) notPrivate(name string, i info) *persist.RecordError {
	switch {
	case !i.Mode.IsRegular():
		return &persist.RecordError{Key: name, Kind: persist.NotRegular, Detail: "it is " + kindName(i.Mode)}
	case i.UID != d.me:
		return &persist.RecordError{Key: name, Kind: persist.NotPrivate, Detail: fmt.Sprintf("it belongs to user %d and you are user %d", i.UID, d.me)}
	case i.Mode&0o077 != 0:
		return &persist.RecordError{Key: name, Kind: persist.NotPrivate, Detail: fmt.Sprintf("its mode is %s; others have no business here", octal(i.Mode))}
	case i.Links != 1:
		return &persist.RecordError{Key: name, Kind: persist.NotPrivate, Detail: fmt.Sprintf("it has %d links and must have one", i.Links)}
	}
	return nil
}

// octal spells a mode as chmod does.
func octal(m fs.FileMode) string {
	special := 0
	for bit, mode := range map[int]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if m&mode != 0 {
			special |= bit
		}
	}
	return fmt.Sprintf("%04o", special|int(m.Perm()))
}

func kindName(m fs.FileMode) string {
	switch m.Type() {
	case 0:
		return "a regular file"
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a symbolic link"
	case fs.ModeNamedPipe:
		return "a FIFO"
	case fs.ModeSocket:
		return "a socket"
	}
	return "a device"
}
