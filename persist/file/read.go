package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"time"

	"containlease/persist"
)

const (
	largestRecord = 32 << 10
	// readAttempts bounds how often what is on its way is looked at again, see patiently. On btrfs a name is on its way as
	// long as its transaction takes.
	readAttempts, readAtOnce = 116, 16
	longestRest              = 20 * time.Millisecond
)

// errMoved: what was read is not what the name means now.
var errMoved = errors.New("replaced while it was read")

// patiently repeats a look for as long as what it finds may be about a moment only: some times at once, and then for about two
// seconds. The cause of ctx's end.
func patiently(ctx context.Context, look func() error) error {
	rest := firstPause
	for attempt := 1; ; attempt++ {
		err := look()
		again, isAgain := err.(*onItsWay)
		switch {
		case !isAgain:
			return err
		case attempt == readAttempts:
			return again.err
		case attempt > readAtOnce: // the writer may need this processor to come to rest
			if err := sleep(ctx, rest); err != nil {
				return err
			}
			rest = min(2*rest, longestRest)
		}
	}
}

// read is the careful read: it returns content only if the name meant that file, untouched, from before the first byte
// until after the last. persist.ErrNotExist, a *persist.RecordError, or the cause of ctx's end.
func (d *dir) read(ctx context.Context, name string) (content []byte, err error) {
	err = patiently(ctx, func() (err error) {
		if content, err = d.readOnce(name); err == errMoved {
			err = &onItsWay{&persist.RecordError{Key: name, Kind: persist.Unstable,
				Detail: fmt.Sprintf("it was replaced during each of %d reads", readAttempts)}}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return content, nil
}

// readOnce believes nothing that it saw, good or bad, unless the name still is the same untouched file afterwards:
// the file that a replacement swapped out becomes the next spare, and is overwritten.
func (d *dir) readOnce(name string) ([]byte, error) {
	fd, err := d.sys.Open(d.fd, name, reading)
	if err != nil {
		return nil, d.openError(name, err)
	}
	defer d.sys.Close(fd)
	before, err := d.sys.Stat(fd)
	if err != nil {
		return nil, unreadable(name, err)
	}
	content, problem := d.take(fd, name, before)
	after, err := d.sys.Lstat(d.fd, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, persist.ErrNotExist
	case err != nil:
		return nil, unreadable(name, err)
	case after != before, after.Links == 0: // a name without a link is one on its way: btrfs shows that while two are exchanged
		return nil, errMoved
	}
	return content, problem
}

// reread is the careful read of a file that is held open: nil unless the name means it, with the size that was written
// to it. To look once, and after the last byte, is enough for who compares the content with what it has to be. The content is
// good until the next call.
func (d *dir) reread(f *newFile, name string) []byte {
	if int64(cap(f.scratch)) < f.size {
		f.scratch = make([]byte, max(f.size, spareSize))
	}
	content := f.scratch[:f.size]
	if n, err := d.sys.Pread(f.fd, content, 0); err != nil || n < len(content) {
		return nil
	}
	i, err := d.sys.Lstat(d.fd, name)
	if err != nil || i.Inode != f.id || i.Size != f.size || d.notPrivate(name, i) != nil {
		return nil
	}
	f.mtime = i.Mtime
	return content
}

func (d *dir) take(fd int, name string, i info) ([]byte, error) {
	if bad := d.privacy(name, i); bad != nil {
		return nil, bad
	}
	if i.Size > largestRecord {
		return nil, &persist.RecordError{Key: name, Kind: persist.TooLarge, Detail: fmt.Sprintf("%d bytes, and at most %d are read", i.Size, largestRecord)}
	}
	content := make([]byte, i.Size)
	for n := 0; n < len(content); {
		m, err := d.sys.Pread(fd, content[n:], int64(n))
		if err == nil && m == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, unreadable(name, err)
		}
		n += m
	}
	return content, nil
}

// openError tells a thing that is no regular file from one that the system will not open.
func (d *dir) openError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return persist.ErrNotExist
	}
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.EOPNOTSUPP) {
		i, lerr := d.sys.Lstat(d.fd, name)
		switch {
		case errors.Is(lerr, fs.ErrNotExist):
			return persist.ErrNotExist
		case lerr == nil && i.Mode.IsRegular():
			return errMoved
		case lerr == nil:
			return d.notPrivate(name, i)
		}
	}
	return unreadable(name, err)
}

func unreadable(name string, err error) error {
	return &persist.RecordError{Key: name, Kind: persist.Unreadable, Err: err}
}

// openPrivate opens a file that is to be used in place, and refuses one that is not ours alone with a
// *persist.RecordError. persist.ErrNotExist. The caller closes.
func (d *dir) openPrivate(name string, a access) (fd int, i info, err error) {
	err = patiently(context.Background(), func() (err error) {
		fd, i, err = d.openOnce(name, a)
		return err
	})
	return fd, i, err
}

func (d *dir) openOnce(name string, a access) (int, info, error) {
	fd, err := d.sys.Open(d.fd, name, a)
	if err != nil {
		if err = d.openError(name, err); err == errMoved {
			err = &onItsWay{err}
		}
		return -1, info{}, err
	}
	i, err := d.sys.Stat(fd)
	if err != nil {
		err = unreadable(name, err)
	} else if i.Links == 0 { // removed since it was opened, as a lock is when its lease was released
		err = persist.ErrNotExist
	} else {
		err = d.privacy(name, i)
	}
	if err != nil {
		_ = d.sys.Close(fd)
		return -1, info{}, err
	}
	return fd, i, nil
}
