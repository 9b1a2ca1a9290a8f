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
	if err := s.d.check(); err != nil {
		return nil, err
	}
	w := &write{s: s, key: key}
	if s.takeSpare(key) {
		switch err := w.inSpare(content); {
		case err == nil:
			return w, nil
		case !errors.Is(err, persist.ErrNotExist):
			return nil, err
		}
	}
	if err := w.inNewFile(content); err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}

// inSpare overwrites the spare. A spare on which anything fails is given up: a failed sync is never repeated on the
// same file. persist.ErrNotExist: there is none that could be used.
func (w *write) inSpare(content []byte) error {
	name := spareFile(w.key)
	fd, i, err := w.s.d.openPrivate(name, writing)
	var bad *persist.RecordError
	if errors.As(err, &bad) && bad.Err != nil {
		w.s.putSpare(w.key)
		return err
	} else if err != nil {
		return persist.ErrNotExist
	}
	f := &newFile{d: w.s.d, fd: fd, id: i.Inode, temp: name, name: name}
	if err := f.overwrite(content, i); err != nil {
		f.drop()
		return err
	}
	w.file = f
	return nil
}

// overwrite makes content the durable whole of a file that had other content, and gives it a modification time that it
// never had. The clock of the file system ticks too slowly for that on kernels before 6.13: a reader that sleeps through
// two replacements would find the file that it opened under the record's name again, with other bytes and equal times.
func (f *newFile) overwrite(content []byte, before info) error {
	if err := f.fill(content); err != nil {
		return err
	}
	if before.Size > int64(len(content)) {
		if err := f.truncate(int64(len(content))); err != nil {
			return err
		}
	}
	if err := f.touch(max(time.Now().UnixNano(), before.Mtime+1)); err != nil {
		return err
	}
	return f.syncData()
}

// inNewFile stages in a file of its own, and makes the spare where this is going to be a new record.
func (w *write) inNewFile(content []byte) (err error) {
	d := w.s.d
	if w.file, err = d.newFile(nextFile(w.key)); err != nil {
		return err
	}
	_, err = d.sys.Lstat(d.fd, recordFile(w.key))
	if errors.Is(err, fs.ErrNotExist) && w.s.swaps.Load() {
		if err := w.makeSpare(); err != nil {
			return err
		}
	}
	if err := w.file.fill(content); err != nil {
		return err
	}
	return w.file.syncData()
}

// makeSpare gets space for all that is to come: the two files take turns in being the record.
func (w *write) makeSpare() (err error) {
	if err := w.file.reserve(spareSize); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if w.spare, err = w.s.d.newFile(spareFile(w.key)); err != nil {
		return err
	}
	if err = w.spare.reserve(spareSize); errors.Is(err, errors.ErrUnsupported) {
		err = w.spare.fill(make([]byte, spareSize))
	}
	return err
}

// takeSpare tells whether the spare may be overwritten, and says so to one writer only.
func (s *Store) takeSpare(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ready := s.settled[key]
	delete(s.settled, key)
	return ready
}

func (s *Store) putSpare(key string) {
	if !s.swaps.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled[key] = true
}
