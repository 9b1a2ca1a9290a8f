package etcd

import (
	"context"
	"errors"
	"fmt"

	"containlease/persist"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// create puts a record where there is none. Each sending is made on the condition of the revision of the machine's record, and
// before another one that revision is moved on. So at most one copy can ever land, and none after create has
// answered for certain: also not after the record was removed again.
func (s *Store) create(ctx context.Context, key string, next []byte) error {
	if err := s.vacant(ctx, key); err != nil {
		return err
	}
	p, done := s.patient(ctx)
	defer done()
	for {
		landed, err := s.lay(p, key, next)
		if err == nil && !landed { // looked at again, and the way is free
			continue
		}
		if err == nil {
			s.learn(key, next)
			return nil
		}
		_, doubt := s.doubt(key)
		switch {
		case !doubt:
			return s.named(key, err)
		case definite(err), errors.Is(err, ErrFenced), !p.wait():
			return s.unsettled(key, err)
		}
	}
}

// vacant looks before a record is created that this store has created already: a caller that never heard of it settles. A
// copy sent now would be taken for what landed then, and could land once the record is removed.
func (s *Store) vacant(ctx context.Context, key string) error {
	s.mu.Lock()
	_, known := s.known[key]
	s.mu.Unlock()
	if !known {
		return nil
	}
	_, err := s.Read(ctx, key)
	switch {
	case err == nil:
		return s.named(key, persist.ErrExists)
	case !errors.Is(err, persist.ErrNotExist):
		return err
	}
	s.learn(key, nil)
	return nil
}

// lay settles what an earlier sending left in doubt, or sends. false without an error: neither landed; call again.
func (s *Store) lay(p *patience, key string, next []byte) (landed bool, err error) {
	if revision, doubt := s.doubt(key); doubt {
		return s.layToRest(p, key, next, revision)
	}
	revision := s.machine.revision.Load()
	answer, err := s.commit(p, clientv3.OpPut(s.prefix+key, string(next)), s.machine.unmoved(revision),
		clientv3.Compare(clientv3.CreateRevision(s.prefix+key), "=", 0))
	switch {
	case err != nil && !definite(err):
		s.doubtful(key, revision)
		return false, err
	case err != nil || answer.Succeeded:
		return err == nil, err
	}
	if err := s.machine.check(kvs(answer, 0)); err != nil {
		return false, err
	}
	if first(kvs(answer, 1)) != nil {
		return false, persist.ErrExists
	}
	return false, nil // only the revision had moved
}

// layToRest makes a doubtful sending definite: it has landed, or it cannot any more. Read before renewed, for a full etcd
// renews nothing.
func (s *Store) layToRest(p *patience, key string, next []byte, revision int64) (landed bool, err error) {
	err = p.once(func(ctx context.Context) error {
		found, err := s.client.Get(ctx, s.prefix+key)
		if err != nil {
			return err
		}
		now := first(found.Kvs)
		if now == nil {
			now, err = s.renew(ctx, s.machine, revision, s.prefix+key)
		}
		if err != nil {
			return err
		}
		landed = holds(now, next)
		if !landed && now != nil {
			err = fmt.Errorf("%w: by somebody else", persist.ErrExists)
		}
		return err
	})
	if err == nil || errors.Is(err, persist.ErrExists) {
		s.settled(key)
	}
	return landed, err
}

// doubt is the revision of a Create that may still land.
func (s *Store) doubt(key string) (revision int64, doubt bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	revision, doubt = s.doubts[key]
	return revision, doubt
}

func (s *Store) doubtful(key string, revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubts[key] = revision
}

func (s *Store) settled(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.doubts, key)
}
