package etcd

import (
	"context"
	"fmt"

	"containlease/persist"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Retire removes a machine and all its leases, in one transaction that only deletes. It is an operator's word, to be given for
// a reason and written down before: nothing of this machine runs, and it never returns with this state home.
// record is the Digest of the machine's own Record, as the operator saw it. From then on every process of the machine is
// fenced; should it return all the same, a new process registers it anew, without leases. It returns how many leases went. ErrNoMachine: there is another record, or none; after a lost reply also that it
// was done. On any other error but a refusal it may still happen: say it again.
func Retire(ctx context.Context, machineID string, record persist.Digest, opts ...Option) (leases int64, err error) {
	if err := checkID("machine", machineID); err != nil {
		return 0, err
	}
	c, err := dial(ctx, opts)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	err = c.ask(ctx, func(ctx context.Context) (err error) {
		leases, err = c.retire(ctx, machineID, record)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("retiring machine %s: %w", machineID, err)
	}
	return leases, nil
}

// retire may be repeated: the condition is the record's revision, which never comes back.
func (c *conn) retire(ctx context.Context, machineID string, record persist.Digest) (leases int64, err error) {
	key := machineKey(machineID)
	found, err := c.client.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	kv := first(found.Kvs)
	if kv == nil || persist.DigestOf(kv.Value) != record {
		return 0, ErrNoMachine
	}
	answer, err := c.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=", kv.ModRevision)).
		Then(clientv3.OpDelete(key), clientv3.OpDelete(leasesPrefix(machineID), clientv3.WithPrefix())).Commit()
	switch {
	case err != nil:
		return 0, err
	case !answer.Succeeded:
		return 0, ErrNoMachine
	}
	return answer.Responses[1].GetResponseDeleteRange().Deleted, nil
}
