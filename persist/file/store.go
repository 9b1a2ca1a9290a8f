package file

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"containlease/persist"
)

// Store keeps every record in a file of its own, leases/<key>.json; a key is a lower-case UUID of version 4. It
// implements [persist.Store], [persist.Syncer] and [persist.Lister]. Every write of one key is made under that key's liveness lock.
type Store struct {
	d *dir
	// swaps: a replacement exchanges the record with its spare. False once the file system refused that, or where
	// writing in place would need new space all the same.
	swaps atomic.Bool

	mu sync.Mutex
	// settled holds the keys whose spare may be overwritten: nothing that a power loss can undo would give the spare's
	// file the record's name again. Of a spare made by another process that is not known.
	settled map[string]pair
	helpers []string // see takeHelpers
}

var (
	_ persist.Store  = (*Store)(nil)
	_ persist.Syncer = (*Store)(nil)
	_ persist.Lister = (*Store)(nil)
)

func newStore(d *dir, swaps bool) *Store {
	s := &Store{d: d, settled: map[string]pair{}}
	s.swaps.Store(swaps)
	return s
}

// Read returns the record under key, by the careful read: a file that is not a regular file of ours alone, or does not
// come to rest, is a *persist.RecordError. persist.ErrNotExist; ErrName.
func (s *Store) Read(ctx context.Context, key string) (persist.Entry, error) {
	if err := checkKey(key); err != nil {
		return persist.Entry{}, err
	}
	if err := ctx.Err(); err != nil {
		return persist.Entry{}, err
	}
	content, err := s.d.read(ctx, recordFile(key))
	if err != nil {
		return persist.Entry{}, s.named(key, err)
	}
	return persist.Entry{Key: key, Content: content, Digest: persist.DigestOf(content)}, nil
}

// named puts the key in place of the file's name.
func (s *Store) named(key string, err error) error {
	var bad *persist.RecordError
	if errors.As(err, &bad) {
		bad.Key = key
		return err
	}
	return fmt.Errorf("%s: %w", s.d.join(recordFile(key)), err)
}

// List yields the records in the order of their names; a name that is not a record's is a *persist.RecordError of kind
// ForeignName, under a Key that people and JSON can take (a Go string literal where it has bytes that are not text).
// On some file systems a listing beside a rename misses names: who must see everything holds the catalogue lock.
func (s *Store) List(ctx context.Context) iter.Seq2[persist.Entry, error] {
	return func(yield func(persist.Entry, error) bool) {
		names, err := s.names()
		if err != nil {
			yield(persist.Entry{}, err)
			return
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				yield(persist.Entry{}, err)
				return
			}
			e, err := s.entry(ctx, name)
			if errors.Is(err, persist.ErrNotExist) {
				continue // released since the listing
			}
			if e.Err = err; !yield(e, nil) {
				return
			}
		}
	}
}

// Keys returns the keys of the records; one listing and nothing else. What List says of locks holds here too.
func (s *Store) Keys(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	names, err := s.everyName()
	if err != nil {
		return nil, err
	}
	var keys, helpers []string
	for _, name := range names {
		if key, ok := recordKey(name); ok {
			keys = append(keys, key)
		} else if _, ok := helperKey(name); ok {
			helpers = append(helpers, name)
		}
	}
	s.mu.Lock()
	s.helpers = helpers
	s.mu.Unlock()
	return keys, nil
}

// takeHelpers returns the spares and files on their way that the last Keys came upon, once.
func (s *Store) takeHelpers() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	helpers := s.helpers
	s.helpers = nil
	return helpers
}

// everyName lists all that is there, in the file system's order.
func (s *Store) everyName() ([]string, error) {
	if err := s.d.check(); err != nil {
		return nil, err
	}
	return s.d.names()
}

// names lists the records and what has no business there, sorted.
func (s *Store) names() ([]string, error) {
	names, err := s.everyName()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, ours := helperKey(name); return ours })
	slices.Sort(names)
	return names, nil
}

func (s *Store) entry(ctx context.Context, name string) (persist.Entry, error) {
	key, ok := recordKey(name)
	if !ok {
		shown := printable(name)
		return persist.Entry{Key: shown}, &persist.RecordError{Key: shown, Kind: persist.ForeignName, Detail: "only <lease id>" + recordSuffix + " belongs in " + s.d.path}
	}
	e, err := s.Read(ctx, key)
	e.Key = key
	return e, err
}
