package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"containlease/gen/leasefile"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// registration is this machine as it is on record: what every write is made on the condition of.
type registration struct {
	key      string
	ours     leasefile.MachineV1
	record   string       // the recorded bytes of this boot
	revision atomic.Int64 // at which they were last written, as far as known
}

// register puts the machine's record in place by compare-and-swap: new, or over that of an earlier boot. A record of this
// boot stays as it is, whatever PID namespace it names: two containers of one machine are no clones of each other.
func (c *conn) register(ctx context.Context, m leasefile.MachineV1) (*registration, error) {
	r := &registration{key: machineKey(m.MachineID), ours: m}
	next := string(m.AppendCanonical(nil))
	p, done := c.patient(ctx)
	defer done()
	for {
		var settled bool
		err := p.once(func(ctx context.Context) (err error) {
			settled, err = c.registerOnce(ctx, r, next)
			return err
		})
		switch {
		case settled:
			return r, nil
		case err == nil: // somebody else was faster: look again
		case definite(err), errors.Is(err, ErrFenced), !p.wait():
			return nil, fmt.Errorf("registering machine %s: %w", m.MachineID, c.explained(err))
		}
	}
}

// registerOnce reads the record and swaps it if it is of another boot. A lost reply does no harm: the next look finds either.
func (c *conn) registerOnce(ctx context.Context, r *registration, next string) (settled bool, err error) {
	found, err := c.client.Get(ctx, r.key)
	if err != nil {
		return false, err
	}
	var revision int64 // 0: there must be none
	if len(found.Kvs) > 0 {
		kv := found.Kvs[0]
		m := machineOf(r.ours.MachineID, kv.Value)
		if m == nil {
			return false, fmt.Errorf("the record at %s is not one: %w", r.key, r.fenced(kv))
		}
		if m.BootID == r.ours.BootID {
			r.take(string(kv.Value), kv.ModRevision)
			return true, nil
		}
		revision = kv.ModRevision
	}
	answer, err := c.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(r.key), "=", revision)).
		Then(clientv3.OpPut(r.key, next)).Commit()
	if err != nil || !answer.Succeeded {
		return false, err
	}
	r.take(next, answer.Header.Revision)
	return true, nil
}

func (r *registration) take(record string, revision int64) {
	r.record = record
	r.revision.Store(revision)
}

// holds is the condition of every Replace and Remove: this machine, this boot.
func (r *registration) holds() clientv3.Cmp {
	return clientv3.Compare(clientv3.Value(r.key), "=", r.record)
}

// unmoved is the condition of a Create. It is stronger, for a revision has one record, and makes a Create of now impossible
// later: see renew.
func (r *registration) unmoved(revision int64) clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(r.key), "=", revision)
}

// check reads the record as a refused transaction found it. *FencedError if it is not ours any more.
func (r *registration) check(found []*mvccpb.KeyValue) error {
	if len(found) == 0 {
		return r.fenced(nil)
	}
	if kv := found[0]; !bytes.Equal(kv.Value, []byte(r.record)) {
		return r.fenced(kv)
	}
	r.revision.Store(found[0].ModRevision)
	return nil
}

func (r *registration) fenced(kv *mvccpb.KeyValue) error {
	e := &FencedError{Ours: r.ours}
	if kv != nil {
		e.Recorded = machineOf(r.ours.MachineID, kv.Value)
	}
	return e
}

// renew writes the record anew, unchanged, unless its revision has moved already: whatever was sent on the condition of that
// revision cannot land afterwards. It returns what is then under key; nil: nothing.
func (c *conn) renew(ctx context.Context, r *registration, revision int64, key string) (*mvccpb.KeyValue, error) {
	answer, err := c.client.Txn(ctx).If(r.unmoved(revision)).
		Then(clientv3.OpPut(r.key, r.record), clientv3.OpGet(key)).
		Else(clientv3.OpGet(r.key), clientv3.OpGet(key)).Commit()
	if err != nil {
		return nil, err
	}
	if answer.Succeeded {
		r.revision.Store(answer.Header.Revision)
	} else if err := r.check(kvs(answer, 0)); err != nil {
		return nil, err
	}
	return first(kvs(answer, 1)), nil
}

// kvs is what the n-th operation of a transaction, a Get, has found.
func kvs(answer *clientv3.TxnResponse, n int) []*mvccpb.KeyValue {
	return answer.Responses[n].GetResponseRange().GetKvs()
}

func first(found []*mvccpb.KeyValue) *mvccpb.KeyValue {
	if len(found) == 0 {
		return nil
	}
	return found[0]
}
