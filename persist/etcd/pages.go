package etcd

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// pairs yields everything under prefix in the order of the keys, page by page, all as of one revision: the newest when
// the first page is asked for. seen is told that revision before the first pair. ErrCompacted: etcd gave it up midway.
func (c *conn) pairs(ctx context.Context, prefix string, seen func(revision int64)) iter.Seq2[*mvccpb.KeyValue, error] {
	return func(yield func(*mvccpb.KeyValue, error) bool) {
		var revision int64
		end := clientv3.GetPrefixRangeEnd(prefix)
		for from := prefix; from != ""; {
			found, err := c.turn(ctx, from, end, revision)
			if err != nil {
				yield(nil, listing(prefix, err))
				return
			}
			if revision == 0 {
				revision = found.Header.Revision
				seen(revision)
			}
			from = ""
			if n := len(found.Kvs); found.More && n > 0 {
				from = string(found.Kvs[n-1].Key) + "\x00"
			}
			for _, kv := range found.Kvs {
				if !yield(kv, nil) {
					return
				}
			}
		}
	}
}

// turn asks for the page that begins at from. Revision 0 is the newest.
func (c *conn) turn(ctx context.Context, from, end string, revision int64) (found *clientv3.GetResponse, err error) {
	err = c.ask(ctx, func(ctx context.Context) (err error) {
		found, err = c.client.Get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(c.page), clientv3.WithRev(revision))
		return err
	})
	return found, err
}

func listing(prefix string, err error) error {
	if errors.Is(err, rpctypes.ErrCompacted) {
		err = fmt.Errorf("%w: %w", ErrCompacted, err)
	}
	return fmt.Errorf("listing %s: %w", prefix, err)
}
