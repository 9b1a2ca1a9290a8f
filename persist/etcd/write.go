package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"containlease/persist"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// write is a content in memory until its one transaction is committed; then it is durable.
type write struct {
	s    *Store
	key  string
	next []byte
	is   phase
}

type phase int

const (
	staged phase = iota
	used         // published without success, settled or discarded
	committed
)

// Stage keeps content in memory. ErrKey; ErrReadOnly; *persist.RecordError for more than 32 KiB.
func (s *Store) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	if err := s.writable(ctx, key); err != nil {
		return nil, err
	}
	if len(content) > maxRecord {
		return nil, &persist.RecordError{Key: key, Kind: persist.TooLarge, Detail: fmt.Sprintf("%d bytes", len(content))}
	}
	return &write{s: s, key: key, next: append([]byte{}, content...)}, nil // never nil, which removes
}

func (s *Store) writable(ctx context.Context, key string) error {
	if s.machine == nil {
		return ErrReadOnly
	}
	if err := checkID("lease", key); err != nil {
		return err
	}
	return ctx.Err()
}

// Create publishes, by one transaction. Beside what persist.Write says: ErrFenced and the server's refusals, definite.
func (w *write) Create(ctx context.Context) error {
	return w.publish(func() error { return w.s.create(ctx, w.key, w.next) })
}

// Replace publishes, by one transaction. Beside what persist.Write says: ErrFenced and the server's refusals, definite.
func (w *write) Replace(ctx context.Context, old persist.Digest) error {
	return w.publish(func() error {
		content, err := w.s.content(ctx, w.key, old)
		if err != nil {
			return err
		}
		return w.s.exchange(ctx, w.key, content, w.next)
	})
}

// publish does it, once.
func (w *write) publish(do func() error) error {
	if w.is != staged {
		return errors.New("publishing a write that was published or discarded already")
	}
	w.is = used
	err := do()
	if err == nil {
		w.is = committed
	}
	return err
}

// Settle has nothing to do: a committed transaction is on the disks of a majority.
func (w *write) Settle(context.Context) error {
	if w.is != committed {
		return errors.New("settling a write that was not published, or is settled")
	}
	w.is = used
	return nil
}

// Discard gives the content up.
func (w *write) Discard() {
	if w.is == staged {
		w.is, w.next = used, nil
	}
}

// Remove deletes, by one transaction that puts nothing: it works where etcd is out of space. Beside what persist.Store
// says: ErrFenced and the server's refusals, definite.
func (s *Store) Remove(ctx context.Context, key string, old persist.Digest) (persist.Write, error) {
	if err := s.writable(ctx, key); err != nil {
		return nil, err
	}
	w := &write{s: s, key: key} // of no content: what it publishes is a removal
	if err := w.Replace(ctx, old); err != nil {
		return nil, err
	}
	return w, nil
}

// exchange puts next in the place of old; nil removes. It is sent again, unchanged, until the answer is definite: once
// old is gone it never comes back, so no copy can do harm.
func (s *Store) exchange(ctx context.Context, key string, old, next []byte) error {
	op := clientv3.OpDelete(s.prefix + key)
	if next != nil {
		op = clientv3.OpPut(s.prefix+key, string(next))
	}
	is := clientv3.Compare(clientv3.Value(s.prefix+key), "=", string(old))
	p, done := s.patient(ctx)
	defer done()
	var doubt error // why an earlier sending may have landed
	for {
		answer, err := s.commit(p, op, s.machine.holds(), is)
		switch {
		case err == nil && answer.Succeeded:
		case err == nil:
			err = s.refused(answer, next, doubt)
		case definite(err) && doubt == nil:
			return s.named(key, err)
		case !definite(err):
			doubt = err
			if p.wait() {
				continue
			}
		}
		if doubt != nil && err != nil && !errors.Is(err, persist.ErrChanged) {
			return s.unsettled(key, err)
		}
		if err == nil {
			s.learn(key, next)
		} else {
			s.learn(key, nil) // somebody else's
		}
		return s.named(key, err)
	}
}

// refused says what a refused exchange means. Found as it should become, it landed, if it was ever in doubt; on a first
// sending those are somebody else's bytes.
func (s *Store) refused(answer *clientv3.TxnResponse, next []byte, doubt error) error {
	if doubt != nil && holds(first(kvs(answer, 1)), next) {
		return nil
	}
	if err := s.machine.check(kvs(answer, 0)); err != nil {
		return err
	}
	return persist.ErrChanged
}

// commit sends one transaction. Refused, it answers as look does.
func (s *Store) commit(p *patience, op clientv3.Op, conditions ...clientv3.Cmp) (answer *clientv3.TxnResponse, err error) {
	err = p.once(func(ctx context.Context) (err error) {
		answer, err = s.client.Txn(ctx).If(conditions...).Then(op).Else(s.look(op)...).Commit()
		return err
	})
	if errors.Is(err, rpctypes.ErrNoSpace) {
		return s.settleFull(p, err, op, conditions)
	}
	return answer, err
}

// look asks for the machine's record and the lease that op is about, as they are.
func (s *Store) look(op clientv3.Op) []clientv3.Op {
	return []clientv3.Op{clientv3.OpGet(s.machine.key), clientv3.OpGet(string(op.KeyBytes()))}
}

// holds reports whether the record found is content; nil: that there is none.
func holds(found *mvccpb.KeyValue, content []byte) bool {
	if found == nil || content == nil {
		return found == nil && content == nil
	}
	return bytes.Equal(found.Value, content)
}

func (s *Store) named(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.prefix+key, s.explained(err))
}

func (s *Store) unsettled(key string, err error) error {
	return fmt.Errorf("%s: %w: etcd did not answer for certain within %v: %w", s.prefix+key, persist.ErrUnsettled, s.deadline, err)
}

func absentIsChanged(err error) error {
	if errors.Is(err, persist.ErrNotExist) {
		return fmt.Errorf("%w: %w", persist.ErrChanged, err)
	}
	return err
}
