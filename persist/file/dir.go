package file

import (
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"
	"syscall"

	"containlease/persist"
)

// dir is one directory of a home, held open: whatever happens to its path, no other directory is ever written.
type dir struct {
	sys  system
	path string // absolute
	fd   int
	id   inode
	me   uint32 // the effective user, whose the directory is
	// doubts counts failed syncs. The system reports a failure once per descriptor, so a sync that another goroutine saw
	// fail makes this one's success worthless.
	doubts atomic.Uint64
}

func openDir(sys system, path string) (*dir, error) {
	fd, err := sys.OpenDir(cwd, path)
	if err != nil {
		return nil, dirError(sys, path, err)
	}
	i, err := sys.Stat(fd)
	if err == nil {
		err = checkPrivateDir(sys, path, i)
	}
	if err != nil {
		_ = sys.Close(fd)
		return nil, err
	}
	return &dir{sys: sys, path: path, fd: fd, id: i.Inode, me: i.UID}, nil
}

// dirError says what stands in the way of opening path as a directory.
func dirError(sys system, path string, err error) error {
	if i, lerr := sys.Lstat(cwd, path); lerr == nil {
		if bad := checkPrivateDir(sys, path, i); bad != nil {
			return bad
		}
	}
	return &fs.PathError{Op: "open directory", Path: path, Err: err}
}

// check makes sure that the path still leads here.
func (d *dir) check() error {
	i, err := d.sys.Lstat(cwd, d.path)
	switch {
	case err == nil && i.Inode == d.id:
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %w", d.path, ErrHomeReplaced)
	}
	return &fs.PathError{Op: "look at", Path: d.path, Err: err}
}

// sync makes the names published since the count of doubts was doubts durable.
func (d *dir) sync(doubts uint64) error {
	if err := d.sys.Sync(d.fd); err != nil {
		d.doubts.Add(1)
		return &fs.PathError{Op: "sync directory", Path: d.path, Err: err}
	}
	if d.doubts.Load() != doubts {
		return &fs.PathError{Op: "sync directory", Path: d.path, Err: errors.New("another sync failed meanwhile")}
	}
	return nil
}

// settle is sync for what is visible already. persist.ErrNotDurable.
func (d *dir) settle(doubts uint64) error {
	if err := d.sync(doubts); err != nil {
		return fmt.Errorf("%w: %w", persist.ErrNotDurable, err)
	}
	return nil
}

// unlink removes a name; that it is gone already is no error.
func (d *dir) unlink(name string) error {
	if err := d.sys.Unlink(d.fd, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.failed("remove", name, err)
	}
	return nil
}

func (d *dir) failed(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: d.join(name), Err: err}
}

func (d *dir) join(name string) string { return d.path + "/" + name }

func (d *dir) close() error {
	fd := d.fd
	d.fd = -1
	return d.sys.Close(fd)
}
