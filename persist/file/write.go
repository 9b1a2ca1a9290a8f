package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"containlease/persist"
)

// write is one staged content, or one removal.
type write struct {
	s      *Store
	key    string
	file   *newFile // the content; nil for a removal
	record *newFile // what it is to replace, where that is held open
	spare  *newFile // made for a new record, or what was replaced by an exchange; else nil
	phase  phase
	doubts uint64 // of the directory, from before the publication
}

type phase int

const (
	staged    phase = iota // also after a publication that was refused
	published              // visible, not proved durable
	unsettled              // perhaps visible
	ended
)

// Create publishes a new record; see [persist.Write]. ErrHomeReplaced: the directory is not there any more.
func (w *write) Create(ctx context.Context) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	if w.spare != nil {
		// The spare goes first: a record without one could not keep its promise on a full disk.
		if _, err := w.s.d.sys.Lstat(w.s.d.fd, recordFile(w.key)); err == nil {
			return w.refused(persist.ErrExists)
		}
		if err := w.spare.takeTemp(); err != nil {
			return err
		}
	}
	err := w.file.appear(recordFile(w.key))
	if errors.Is(err, fs.ErrExist) {
		return w.refused(persist.ErrExists)
	}
	return w.tried(err)
}

// Replace publishes over a record whose digest is old; see [persist.Write]. ErrHomeReplaced.
func (w *write) Replace(ctx context.Context, old persist.Digest) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	if err := w.expect(ctx, old); err != nil {
		return err
	}
	err := w.supplant(recordFile(w.key))
	if errors.Is(err, fs.ErrNotExist) {
		if _, lerr := w.s.d.sys.Lstat(w.s.d.fd, recordFile(w.key)); errors.Is(lerr, fs.ErrNotExist) {
			return w.refused(persist.ErrChanged)
		}
	}
	return w.tried(err)
}

// supplant exchanges the record with the spare if the content lies there: that takes no space, and cannot bring a
// record back that was removed.
func (w *write) supplant(name string) error {
	if w.file.name != spareFile(w.key) {
		return w.file.supplant(name)
	}
	err := w.file.swap(name)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		w.s.swaps.Store(false)
		return w.file.supplant(name)
	case err == nil && w.record != nil:
		w.record.name, w.record.temp = spareFile(w.key), spareFile(w.key)
		w.spare, w.record = w.record, nil
	}
	return err
}

// Remove unlinks the record if its digest is old; see [persist.Store]. ErrName, ErrHomeReplaced.
func (s *Store) Remove(ctx context.Context, key string, old persist.Digest) (persist.Write, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	w := &write{s: s, key: key}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	if err := w.expect(ctx, old); err != nil {
		return nil, err
	}
	name := recordFile(key)
	if err := s.d.sys.Unlink(s.d.fd, name); err != nil {
		_, lerr := s.d.sys.Lstat(s.d.fd, name)
		switch gone := errors.Is(lerr, fs.ErrNotExist); {
		case gone && errors.Is(err, fs.ErrNotExist):
			return nil, w.refused(persist.ErrChanged)
		case lerr == nil:
			return nil, s.d.failed("remove", name, err)
		case !gone:
			return nil, fmt.Errorf("%w: %w; looking: %w", persist.ErrUnsettled, s.d.failed("remove", name, err), lerr)
		}
	}
	w.phase = published
	return w, nil
}

func (w *write) begin(ctx context.Context) error {
	if w.phase != staged {
		return errors.New("a staged write is published once")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.doubts = w.s.d.doubts.Load()
	if w.file != nil && w.file.name == spareFile(w.key) {
		return w.stillSpare()
	}
	return w.s.d.check()
}

// expect makes sure that the record has the digest old. Anything that is not a record of ours is a change too.
func (w *write) expect(ctx context.Context, old persist.Digest) error {
	content, err := w.current(ctx)
	var bad *persist.RecordError
	switch {
	case err == nil && persist.DigestOf(content) == old:
		return nil
	case err == nil || errors.Is(err, persist.ErrNotExist):
		return w.refused(persist.ErrChanged)
	case errors.As(err, &bad) && bad.Err == nil && bad.Kind != persist.Unstable:
		return fmt.Errorf("%w: %w", persist.ErrChanged, w.s.named(w.key, err))
	}
	return w.s.named(w.key, err)
}

func (w *write) refused(why error) error { return w.s.named(w.key, why) }

// tried notes how the publication ended.
func (w *write) tried(err error) error {
	switch {
	case err == nil:
		w.phase = published
	case errors.Is(err, persist.ErrUnsettled):
		w.phase = unsettled
	}
	return err
}

// Settle makes the publication durable by the one sync of the directory, which covers the spare too; see
// [persist.Write]. Until that has succeeded the spare is not overwritten: a power loss could give it the record's name.
func (w *write) Settle(context.Context) error {
	if w.phase != published {
		return errors.New("there is no publication to settle")
	}
	w.phase = ended
	if err := w.s.d.settle(w.doubts); err != nil {
		w.close()
		return err
	}
	if w.file == nil {
		w.s.clear(w.key)
		return nil
	}
	if w.record != nil {
		w.record.close()
	}
	w.s.putPair(w.key, pair{w.file, w.spare})
	return nil
}

// Discard gives up what was not published; see [persist.Write].
func (w *write) Discard() {
	switch w.phase {
	case unsettled:
		w.close()
	case staged:
		if w.file != nil && w.file.name == spareFile(w.key) {
			w.s.putPair(w.key, pair{w.record, w.file}) // it was never exchanged: still a spare
			break
		}
		for _, f := range []*newFile{w.file, w.spare} {
			if f != nil {
				f.drop()
			}
		}
		pair{record: w.record}.close()
	default:
		return
	}
	w.phase = ended
}

func (w *write) close() {
	for _, f := range []*newFile{w.file, w.record, w.spare} {
		if f != nil {
			f.close()
		}
	}
}

// clear removes what a removed record leaves. Nothing depends on it: what stays is swept.
func (s *Store) clear(key string) {
	s.drop(key)
	_ = s.d.unlink(spareFile(key))
	_ = s.d.unlink(nextFile(key))
}
