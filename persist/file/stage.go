package file

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"containlease/persist"
)

// spareSize is the longest lease. A record and its spare have that much space from the start, so that a lease that was
// once recorded can go through its whole life on a full disk.
const spareSize = 1645

// Stage makes content durable and leaves it invisible: in the key's spare, whose space is there already, or in a new
// file. persist.Store says the rest; ErrName, ErrHomeReplaced.
func (s *Store) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &write{s: s, key: key}
	if p, ready := s.takePair(key); ready {
		w.record = p.record
		switch err := w.inSpare(p.spare, content); {
		case err == nil:
			return w, nil
		case !errors.Is(err, persist.ErrNotExist):
			pair{record: w.record}.close()
			return nil, err
		}
	}
	if err := s.d.check(); err != nil {
		return nil, err
	}
	if err := w.inNewFile(ctx, content); err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// inSpare overwrites the spare, which is opened where it is not held. One that is held may have become the record under
// another writer, and what is visible is never written into: so its name is looked at first. A spare on which anything fails is
// given up: a failed sync is never repeated on the same file. persist.ErrNotExist: there is none that could be used.
func (w *write) inSpare(f *newFile, content []byte) error {
	if f == nil {
		name := spareFile(w.key)
		fd, i, err := w.s.d.openPrivate(name, writing)
		var bad *persist.RecordError
		if errors.As(err, &bad) && bad.Err != nil {
			w.s.putPair(w.key, pair{record: w.record})
			w.record = nil
			return err
		} else if err != nil {
			return persist.ErrNotExist
		}
		f = &newFile{d: w.s.d, fd: fd, id: i.Inode, temp: name, name: name, mtime: i.Mtime}
	} else if i, err := f.d.sys.Lstat(f.d.fd, f.name); err != nil || i.Inode != f.id {
		f.close()
		return persist.ErrNotExist
	}
	if err := f.overwrite(content); err != nil {
		f.drop()
		return err
	}
	w.file = f
	return nil
}

// overwrite makes content the durable whole of a file that had other content, and gives it a modification time that it
// never had. The clock of the file system ticks too slowly for that on kernels before 6.13: a reader that sleeps through
// two replacements would find the file that it opened under the record's name again, with other bytes and equal times.
func (f *newFile) overwrite(content []byte) error {
	if err := f.fill(content); err != nil {
		return err
	}
	i, err := f.d.sys.Stat(f.fd)
	if err != nil {
		return f.d.failed("look at", f.temp, err)
	}
	if i.Size > int64(len(content)) {
		if err := f.truncate(int64(len(content))); err != nil {
			return err
		}
	}
	if i.Mtime <= f.mtime {
		i.Mtime = max(time.Now().UnixNano(), f.mtime+1)
		if err := f.touch(i.Mtime); err != nil {
			return err
		}
	}
	f.mtime = i.Mtime
	return f.syncData()
}

// inNewFile stages in a file of its own, and makes the spare where this is going to be a new record.
func (w *write) inNewFile(ctx context.Context, content []byte) (err error) {
	d := w.s.d
	if w.file, err = d.stagedFile(ctx, nextFile(w.key)); err != nil {
		return err
	}
	_, err = d.sys.Lstat(d.fd, recordFile(w.key))
	if errors.Is(err, fs.ErrNotExist) && w.s.swaps.Load() {
		if err := w.makeSpare(ctx); err != nil {
			return err
		}
	}
	if err := w.file.fill(content); err != nil {
		return err
	}
	return w.file.syncData()
}

// makeSpare gets space for all that is to come: the two files take turns in being the record.
func (w *write) makeSpare(ctx context.Context) (err error) {
	if err := w.file.reserve(spareSize); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if w.spare, err = w.s.d.stagedFile(ctx, spareFile(w.key)); err != nil {
		return err
	}
	if err = w.spare.reserve(spareSize); errors.Is(err, errors.ErrUnsupported) {
		err = w.spare.fill(make([]byte, spareSize))
	}
	return err
}

// stagedFile is newFile for content that is staged before any lock is held. Where such a file has its name at once, a Sweep
// would take it for what a crash left: so it is owned, as long as it is open. A sweep owns what it removes, so that one that
// was faster is waited for, and then there is another file to make.
func (d *dir) stagedFile(ctx context.Context, temp string) (*newFile, error) {
	for {
		f, err := d.newFile(temp)
		if err != nil || f.name == "" {
			return f, err
		}
		for err = d.sys.Own(f.fd); errors.Is(err, errBusy); err = d.sys.Own(f.fd) {
			if err := sleep(ctx, time.Millisecond); err != nil {
				f.close() // and not dropped: it is the sweep's
				return nil, d.failed("own", temp, err)
			}
		}
		if err != nil {
			f.drop()
			return nil, d.failed("own", temp, err)
		}
		if i, err := d.sys.Lstat(d.fd, temp); err == nil && i.Inode == f.id {
			return f, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.drop()
			return nil, d.failed("look at", temp, err)
		}
		f.close()
	}
}
