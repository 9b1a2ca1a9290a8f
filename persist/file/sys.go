package file

import (
	"io/fs"
	"syscall"
)

// system is everything this package asks of the operating system: the one seam where tests count, fail and crash.
// Descriptors are plain numbers, close-on-exec, and never passed on. Errors are errnos; errors.ErrUnsupported says
// that there is no such call here. An interrupted call is repeated below this line.
type system interface {
	openDir(dir int, name string) (int, error)           // refuses a symbolic link at the end
	open(dir int, name string, a access) (int, error)    // an existing file: follows no link, never blocks
	create(dir int, name string) (int, error)            // exclusively, exactly 0600; name "": a file without a name
	mkdir(dir int, name string) error                    // exactly 0700
	link(fd, dir int, name string) error                 // gives a nameless file its name; EEXIST
	rename(dir int, from, to string, how renaming) error // within one directory
	unlink(dir int, name string) error
	move(from int, name string, to int, as string) error // to another directory, replacing nothing
	names(dir int) ([]string, error)                     // unsorted, read through a descriptor of its own
	stat(fd int) (info, error)
	lstat(dir int, name string) (info, error)
	pread(fd int, b []byte, at int64) (int, error)
	pwrite(fd int, b []byte, at int64) (int, error)
	append(fd int, b []byte) (int, error) // one write at the end
	truncate(fd int, size int64) error
	reserve(fd int, size int64) error // space, without changing the size
	setMtime(dir int, name string, nanoseconds int64) error
	syncData(fd int) error           // the content, and what is needed to reach it
	sync(fd int) error               // everything; also of a directory
	flock(fd int, how locking) error // never waits: EAGAIN
	own(fd int) error                // the liveness lock, never waits: EAGAIN
	disown(fd int) error
	owned(fd int) (bool, error) // whether somebody else has it; takes nothing for long
	filesystem(fd int) (filesystem, error)
	close(fd int) error
}

type access int

const (
	reading access = iota
	writing
	appending // and reading
)

type renaming int

const (
	over      renaming = iota // replaces what is there
	exclusive                 // EEXIST where something is there
	exchange                  // swaps both names; ENOENT where one is missing
)

type locking int

const (
	lockShared locking = iota
	lockExclusive
	unlock
)

// errBusy is the answer of a lock that somebody else has.
const errBusy = syscall.EAGAIN

// filesystem is what a home needs to know of the ground it stands on.
type filesystem struct {
	name       string
	known      bool // locks and syncs are known to work
	overwrites bool // writing in place needs no new space
}

// inode is the identity of a file for as long as somebody holds it open.
type inode struct{ dev, ino uint64 }

// info is what two looks at one file are compared by: equal means untouched.
type info struct {
	inode
	mode         fs.FileMode
	uid          uint32
	links        uint64
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
}
