package etcd

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// settleFull tells what became of a transaction that was answered with full, the server's ErrNoSpace. etcd compares with its
// quota before it proposes a transaction, which is then refused, and once more when it applies it: if the space went in between, the
// transaction is carried out and answered with ErrNoSpace all the same. Either way nothing happens after that answer, so
// one look is enough; it writes nothing and needs no space.
func (s *Store) settleFull(p *patience, full error, op clientv3.Op, conditions []clientv3.Cmp) (answer *clientv3.TxnResponse, err error) {
	look := s.look(op)
	err = p.once(func(ctx context.Context) (err error) {
		answer, err = s.client.Txn(ctx).If(conditions...).Then(look...).Else(look...).Commit()
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w; then, looking: %w", errInDoubt, full, err)
	case holds(first(kvs(answer, 1)), op.ValueBytes()): // a removal has none
		return &clientv3.TxnResponse{Succeeded: true}, nil
	case answer.Succeeded: // it could still be made, so it was not
		return nil, full
	}
	return answer, nil // as any that was refused
}
