// Package disk is what a state home asks of an operating system: the one seam where persist/file meets the real one, and
// where tests count calls, let them fail, and lose power (persist/memory).
package disk

import (
	"io/fs"
	"syscall"
)

// System is one process's way to its files. Descriptors are plain numbers, close-on-exec, and never passed on. Errors are
// errnos; errors.ErrUnsupported says that there is no such call here. An interrupted call is repeated below this line.
// Where a directory is wanted, a negative number means that the name is an absolute path. Safe for concurrent use.
type System interface {
	OpenDir(dir int, name string) (int, error)           // refuses a symbolic link at the end
	Open(dir int, name string, a Access) (int, error)    // an existing file: follows no link, never blocks
	Create(dir int, name string) (int, error)            // exclusively, exactly 0600; name "": a file without a name
	Mkdir(dir int, name string) error                    // exactly 0700
	Link(fd, dir int, name string) error                 // gives a nameless file its name; EEXIST
	Rename(dir int, from, to string, how Renaming) error // within one directory
	Unlink(dir int, name string) error
	Rmdir(dir int, name string) error                    // an empty directory
	Readlink(dir int, name string) (string, error)       // where a symbolic link leads, as it is written there
	Move(from int, name string, to int, as string) error // to another directory, replacing nothing
	Names(dir int) ([]string, error)                     // unsorted, read through a descriptor of its own
	Stat(fd int) (Info, error)
	Lstat(dir int, name string) (Info, error)
	Pread(fd int, b []byte, at int64) (int, error)
	Pwrite(fd int, b []byte, at int64) (int, error)
	Append(fd int, b []byte) (int, error) // one write at the end
	Truncate(fd int, size int64) error
	Reserve(fd int, size int64) error // space, without changing the size
	SetMtime(dir int, name string, nanoseconds int64) error
	SyncData(fd int) error           // the content, and what is needed to reach it
	Sync(fd int) error               // everything; also of a directory
	Flock(fd int, how Locking) error // never waits: ErrBusy
	Own(fd int) error                // the liveness lock, never waits: ErrBusy
	Disown(fd int) error
	Owned(fd int) (bool, error) // whether somebody else has it; takes nothing for long
	Filesystem(fd int) (Filesystem, error)
	Born(fd int) (int64, error) // when it was made, nanoseconds since 1970; errors.ErrUnsupported
	Close(fd int) error
}

// Access is what a file is opened for.
type Access int

// The kinds of access.
const (
	Reading   Access = iota
	Writing          // and reading
	Appending        // and reading
)

// Renaming is what a rename does with a name that is taken.
type Renaming int

// The ways to rename.
const (
	Over      Renaming = iota // replaces what is there
	Exclusive                 // EEXIST where something is there
	Exchange                  // swaps both names; ENOENT where one is missing
)

// Locking is what is asked of a flock.
type Locking int

// What can be asked.
const (
	LockShared Locking = iota
	LockExclusive
	Unlock
)

// ErrBusy is the answer of a lock that somebody else has.
const ErrBusy = syscall.EAGAIN

// Filesystem is what a home needs to know of the ground it stands on.
type Filesystem struct {
	Name       string
	Known      bool // locks and syncs are known to work
	Overwrites bool // writing in place needs no new space
	Cuts       Cuts
}

// Cuts says what is known of power cuts on a file system.
type Cuts string

// What is known of them. The words are published.
const (
	CutsTried   Cuts = "tried"     // nothing acknowledged was lost in power cuts that this project made on it
	CutsUntried Cuts = "untried"   // none was made
	CutsTakeAll Cuts = "in-memory" // nothing on it survives one, and no process does
)

// Inode is the identity of a file for as long as somebody holds it open.
type Inode struct{ Dev, Ino uint64 }

// Info is what two looks at one file are compared by: equal means untouched.
type Info struct {
	Inode
	Mode         fs.FileMode
	UID          uint32
	Links        uint64
	Size         int64
	Mtime, Ctime int64 // nanoseconds since 1970
}
