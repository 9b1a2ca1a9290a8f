package file

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"containlease/persist"
)

// checkPrivateDir demands a directory of exactly 0700 that is ours.
func checkPrivateDir(path string, i info) error {
	quoted := shellQuote(path)
	switch me := uint32(os.Geteuid()); {
	case !i.Mode.IsDir():
		return &UnsafeError{path, "it is " + kindName(i.Mode) + ", not a directory", "mv " + quoted + " " + shellQuote(path+".aside")}
	case i.UID != me:
		return &UnsafeError{path, fmt.Sprintf("it belongs to user %d and you are user %d", i.UID, me), fmt.Sprintf("sudo chown %d %s", me, quoted)}
	case i.Mode != fs.ModeDir|0o700:
		return &UnsafeError{path, fmt.Sprintf("its mode is %s and has to be 0700", octal(i.Mode)), chmod(i.Mode) + quoted}
	}
	return nil
}

// chmod spells the repair: only five digits take set-id bits off a directory.
func chmod(m fs.FileMode) string {
	if m&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0 {
		return "chmod 00700 "
	}
	return "chmod 0700 "
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

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
