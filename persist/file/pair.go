package file

import (
	"context"
	"errors"
	"io/fs"
)

// pair is the two files that take turns in being a key's record and its spare, as far as they are held open: nil where one
// has to be opened by its name. Whoever has the pair is the one writer of the key. What is held may have lost its name
// meanwhile, so nothing is published, and nothing believed of the record, before a look at the name.
type pair struct{ record, spare *newFile }

// mostPairs bounds the descriptors of the files that are held for the next replacement; of further keys they are opened anew.
const mostPairs = 64

// takePair tells whether the spare may be overwritten, and says so to one writer only.
func (s *Store) takePair(key string) (pair, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ready := s.settled[key]
	delete(s.settled, key)
	return p, ready
}

// putPair gives the spare to the next writer.
func (s *Store) putPair(key string, p pair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled[key].close() // of another attempt meanwhile
	if !s.swaps.Load() {
		delete(s.settled, key)
		p.close()
		return
	}
	if len(s.settled) >= mostPairs {
		p.close()
		p = pair{}
	}
	s.settled[key] = p
}

// drop forgets the pair of a key: the next replacement stages in a new file.
func (s *Store) drop(key string) {
	p, _ := s.takePair(key)
	p.close()
}

func (p pair) close() {
	for _, f := range []*newFile{p.record, p.spare} {
		if f != nil {
			f.close()
		}
	}
}

// close lets go of what is held.
func (s *Store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, p := range s.settled {
		p.close()
		s.settled[key] = pair{}
	}
}

// stillSpare makes sure that the spare's path means the file with the content, ours alone: it may have been open for long.
// As no other directory has that file, it is dir.check too. Where the name is somebody else's the file is given up, and the
// next attempt stages in a new one.
func (w *write) stillSpare() error {
	d, name := w.s.d, w.file.name
	i, err := d.sys.Lstat(cwd, d.join(name))
	bad := d.notPrivate(name, i)
	switch {
	case err == nil && i.Inode == w.file.id && bad == nil:
		return nil
	case err == nil && i.Inode == w.file.id:
		err = bad
	case err == nil:
		err = errMoved
	}
	if cerr := d.check(); cerr != nil {
		return cerr
	}
	if err == bad || err == errMoved || errors.Is(err, fs.ErrNotExist) {
		w.file.name = ""
	}
	return d.failed("publish", name, err)
}

// current is what the record's name means now: the file that is held, or one to be opened.
func (w *write) current(ctx context.Context) ([]byte, error) {
	name := recordFile(w.key)
	if w.record != nil {
		if content := w.s.d.reread(w.record, name); content != nil {
			return content, nil
		}
		w.record.close()
		w.record = nil
	}
	return w.s.d.read(ctx, name)
}
