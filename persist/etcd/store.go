package etcd

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"

	"containlease/gen/leasefile"
	"containlease/persist"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Store keeps the leases of one machine. It implements [persist.Store]; what landed is durable, so there is nothing to
// sync. Safe for concurrent use by goroutines; several processes of the machine may have one each.
type Store struct {
	*conn
	machine *registration
	prefix  string

	mu sync.Mutex
	// known is the content of records as this store wrote them: the bytes behind a digest that Replace and Remove are given.
	known map[string][]byte
	// doubts is the revision of the machine's record on the condition of which a Create was sent that may still land.
	doubts map[string]int64
}

var _ persist.Store = (*Store)(nil)

// Open connects and registers machine, as package lease names it (lease.MachineOf): a machine that has booted again
// replaces its record, and with that everything of the boot before is fenced. With ReadOnly nothing is registered.
// Errors: a *leasefile.DecodeError for a machine that is none, ErrFenced where the record is unreadable, the server's refusals. The caller closes the store.
func Open(ctx context.Context, machine leasefile.MachineV1, opts ...Option) (*Store, error) {
	if err := machine.Validate(); err != nil {
		return nil, fmt.Errorf("machine of the fleet: %w", err)
	}
	c, err := dial(ctx, opts)
	if err != nil {
		return nil, err
	}
	s := &Store{conn: c, prefix: leasesPrefix(machine.MachineID), known: map[string][]byte{}, doubts: map[string]int64{}}
	if c.readOnly {
		return s, nil
	}
	if s.machine, err = c.register(ctx, machine); err != nil {
		_ = c.Close()
		return nil, err
	}
	return s, nil
}

// Read returns the record under key, as the majority has it now. persist.ErrNotExist; *persist.RecordError; ErrKey.
func (s *Store) Read(ctx context.Context, key string) (persist.Entry, error) {
	if err := checkID("lease", key); err != nil {
		return persist.Entry{}, err
	}
	var found *clientv3.GetResponse
	err := s.ask(ctx, func(ctx context.Context) (err error) {
		found, err = s.client.Get(ctx, s.prefix+key)
		return err
	})
	switch {
	case err != nil:
		return persist.Entry{}, fmt.Errorf("reading %s: %w", s.prefix+key, err)
	case len(found.Kvs) == 0:
		return persist.Entry{}, fmt.Errorf("%s: %w", s.prefix+key, persist.ErrNotExist)
	}
	e := entryOf(key, found.Kvs[0].Value)
	return e, e.Err
}

// List yields the machine's records in the order of their keys, all as of one revision: one that was removed since is
// still in it. A key that is no lease's is a *persist.RecordError of kind ForeignName. The sequence's error may be ErrCompacted.
func (s *Store) List(ctx context.Context) iter.Seq2[persist.Entry, error] {
	return func(yield func(persist.Entry, error) bool) {
		for kv, err := range s.pairs(ctx, s.prefix, func(int64) {}) {
			if err != nil {
				yield(persist.Entry{}, err)
				return
			}
			if !yield(entryOf(strings.TrimPrefix(string(kv.Key), s.prefix), kv.Value), nil) {
				return
			}
		}
	}
}

// content returns the bytes whose digest is old. persist.ErrChanged: the record has others, or there is none.
func (s *Store) content(ctx context.Context, key string, old persist.Digest) ([]byte, error) {
	s.mu.Lock()
	known := s.known[key]
	s.mu.Unlock()
	if known != nil && persist.DigestOf(known) == old {
		return known, nil
	}
	e, err := s.Read(ctx, key)
	switch {
	case err == nil && e.Digest == old:
		return e.Content, nil
	case err == nil:
		return nil, fmt.Errorf("%s has digest %s, not %s: %w", s.prefix+key, e.Digest, old, persist.ErrChanged)
	}
	return nil, absentIsChanged(err)
}

// learn keeps what the record is now; nil: there is none.
func (s *Store) learn(key string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if content == nil {
		delete(s.known, key)
	} else {
		s.known[key] = content
	}
}
