package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"containlease/persist"
)

// newFile is a file that has, or is about to get, its content, and not yet its name. Whoever makes one holds the lock
// that covers its final name, so a file found under its temporary name is what a crash left.
type newFile struct {
	d    *dir
	fd   int
	id   inode
	temp string // the name it may use on its way
	name string // where it is now; "" while it has no name

	size, mtime int64  // of its content, as far as it is known here; nanoseconds since 1970
	scratch     []byte // for reread
}

// newFile makes an empty file without a name, or under temp where the file system knows no nameless files.
func (d *dir) newFile(temp string) (*newFile, error) {
	f := &newFile{d: d, temp: temp}
	var err error
	if f.fd, err = d.sys.Create(d.fd, ""); errors.Is(err, errors.ErrUnsupported) {
		f.name = temp
		err = f.freshly(func() (e error) { f.fd, e = d.sys.Create(d.fd, temp); return e })
	}
	if err != nil {
		return nil, d.failed("create", temp, err)
	}
	i, err := d.sys.Stat(f.fd)
	if err != nil {
		f.drop()
		return nil, d.failed("look at", temp, err)
	}
	f.id = i.Inode
	return f, nil
}

// takeTemp gives the file its temporary name if it has none.
func (f *newFile) takeTemp() error {
	if f.name != "" {
		return nil
	}
	if err := f.freshly(func() error { return f.d.sys.Link(f.fd, f.d.fd, f.temp) }); err != nil {
		return f.d.failed("link", f.temp, err)
	}
	f.name = f.temp
	return nil
}

// writerPatience is longer than a sync takes on a busy disk.
const writerPatience = 5 * time.Second

// freshly runs make, which needs the temporary name to be free, and clears it of a leftover if it has to. Somebody who is at
// work under the name owns its file; he is waited for, and after a while taken for stopped, as nothing of his is lost by it.
func (f *newFile) freshly(make func() error) error {
	err := make()
	for since := time.Now(); errors.Is(err, fs.ErrExist); {
		if f.d.owned(f.temp) && time.Since(since) < writerPatience {
			time.Sleep(time.Millisecond)
		} else if uerr := f.d.sys.Unlink(f.d.fd, f.temp); uerr != nil && !errors.Is(uerr, fs.ErrNotExist) {
			return err
		}
		err = make()
	}
	return err
}

// owned tells whether somebody is known to be at work on the file that has the name.
func (d *dir) owned(name string) bool {
	fd, err := d.sys.Open(d.fd, name, reading)
	if err != nil {
		return false
	}
	defer d.sys.Close(fd)
	owned, err := d.sys.Owned(fd)
	return err == nil && owned
}

func (f *newFile) fill(content []byte) error {
	for n := 0; n < len(content); {
		m, err := f.d.sys.Pwrite(f.fd, content[n:], int64(n))
		if err == nil && m == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return f.d.failed("write", f.temp, err)
		}
		n += m
	}
	f.size = int64(len(content))
	return nil
}

// syncData makes the content last, under a name: what was synced of a nameless file is not everywhere the content of the name
// that it gets afterwards. On btrfs before Linux 6.18 that name has no bytes after a power loss; and another process may
// sync the directory, and so that name, before anybody can sync the file again. So what is to last gets its temporary
// name before it is synced, born owned so that no Sweep takes it for a leftover, and its own name by a rename.
func (f *newFile) syncData() error {
	if f.name == "" {
		if err := f.d.sys.Own(f.fd); err != nil {
			return f.d.failed("own", f.temp, err)
		}
	}
	if err := f.takeTemp(); err != nil {
		return err
	}
	if err := f.d.sys.SyncData(f.fd); err != nil {
		return f.d.failed("sync", f.temp, err)
	}
	return nil
}

// appear gives the file a name that must be free: fs.ErrExist, persist.ErrUnsettled, or not done.
func (f *newFile) appear(name string) error {
	if f.name == "" {
		return f.became(name, f.d.sys.Link(f.fd, f.d.fd, name))
	}
	return f.became(name, f.d.sys.Rename(f.d.fd, f.name, name, exclusive))
}

// supplant gives the file a name and takes it from whatever had it: persist.ErrUnsettled, or not done.
func (f *newFile) supplant(name string) error {
	if err := f.takeTemp(); err != nil {
		return err
	}
	return f.became(name, f.d.sys.Rename(f.d.fd, f.name, name, over))
}

// swap exchanges the names of the file and of what has name: fs.ErrNotExist, errors.ErrUnsupported,
// persist.ErrUnsettled, or not done.
func (f *newFile) swap(name string) error {
	return f.became(name, f.d.sys.Rename(f.d.fd, f.name, name, exchange))
}

// became looks whom the name means after a call that failed: a call may fail and have happened.
func (f *newFile) became(name string, failure error) error {
	if failure != nil {
		i, err := f.d.sys.Lstat(f.d.fd, name)
		switch {
		case err == nil && i.Inode == f.id: // it happened
		case err == nil || errors.Is(err, fs.ErrNotExist):
			return f.d.failed("publish", name, failure)
		default:
			return fmt.Errorf("%w: %w; looking: %w", persist.ErrUnsettled, f.d.failed("publish", name, failure), err)
		}
	}
	f.name = name
	return nil
}

// close ends the work on a file that keeps its name.
func (f *newFile) close() { _ = f.d.sys.Close(f.fd) }

// drop takes the file away under whatever name it has. The name goes first: while it is open, a file that is owned is
// nobody else's to remove, and afterwards the name may be that of the next one.
func (f *newFile) drop() {
	if f.name != "" {
		_ = f.d.unlink(f.name)
	}
	f.close()
}

// reserve gets the space for size bytes now. errors.ErrUnsupported.
func (f *newFile) reserve(size int64) error {
	if err := f.d.sys.Reserve(f.fd, size); err != nil {
		return f.d.failed("reserve space for", f.temp, err)
	}
	return nil
}

func (f *newFile) truncate(size int64) error {
	if err := f.d.sys.Truncate(f.fd, size); err != nil {
		return f.d.failed("truncate", f.temp, err)
	}
	return nil
}

// touch sets the modification time of a file that has a name.
func (f *newFile) touch(nanoseconds int64) error {
	if err := f.d.sys.SetMtime(f.d.fd, f.name, nanoseconds); err != nil {
		return f.d.failed("touch", f.name, err)
	}
	return nil
}
