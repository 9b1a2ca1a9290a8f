package etcd

import (
	"context"
	"errors"
	"fmt"
	"iter"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// ChangeKind says what a Change tells.
type ChangeKind string

// The kinds.
const (
	Relisted ChangeKind = "relisted" // forget everything: what there is follows as Present
	Present  ChangeKind = "present"  // it is there, as of the listing
	Written  ChangeKind = "written"  // it was created or replaced
	Gone     ChangeKind = "gone"     // it was removed; the Record is as it was before, where etcd still knows that
)

// Change is one step of the fleet. Of Relisted only Record.As is set.
type Change struct {
	Kind ChangeKind
	Record
}

// Watch yields what happens after the revision after, in etcd's order and without gaps, until ctx ends. after is the As of
// any Record; 0 begins with a listing. Where etcd has compacted that revision away, and after a lost connection
// wherever it must, the watch lists the fleet again and says so by Relisted. A machine's record that was written anew
// without a change is left out. The error ends the sequence: the server's refusal, or ctx's.
func (f *Fleet) Watch(ctx context.Context, after int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		w := &watch{f: f, after: after, machines: map[string]Record{}, yield: yield}
		w.run(ctx)
	}
}

// watch is one reading of the history. Its methods return false when the reader wants no more.
type watch struct {
	f        *Fleet
	after    int64
	machines map[string]Record
	yield    func(Change, error) bool
}

var errRelist = errors.New("the revision to go on from is compacted")

func (w *watch) run(ctx context.Context) {
	p := &patience{ctx: ctx, try: w.f.try, pause: firstPause}
	for {
		var err error
		more := true
		if w.after == 0 {
			more, err = w.list(ctx)
		}
		if more && err == nil {
			more, err = w.follow(ctx, p)
		}
		switch {
		case !more:
			return
		case ctx.Err() != nil:
			w.yield(Change{}, ctx.Err())
			return
		case errors.Is(err, errRelist), errors.Is(err, ErrCompacted):
			w.after = 0
		case definite(err):
			w.yield(Change{}, fmt.Errorf("watching %s: %w", root, err))
			return
		case !p.wait(): // a lost connection, or no leader
		}
	}
}

// list yields the fleet as it is.
func (w *watch) list(ctx context.Context) (more bool, err error) {
	clear(w.machines)
	more = true
	seen := func(as int64) {
		w.after = as
		more = w.yield(Change{Relisted, Record{As: as}}, nil)
	}
	for r, err := range w.f.list(ctx, seen) {
		if err != nil || !more {
			return more, err
		}
		if r.Key == "" {
			w.machines[r.MachineID] = r
		}
		if more = w.yield(Change{Present, r}, nil); !more {
			return false, nil
		}
	}
	return more, nil
}

// follow yields events until the stream breaks.
func (w *watch) follow(ctx context.Context, p *patience) (more bool, err error) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	stream := w.f.client.Watch(ctx, root, clientv3.WithPrefix(), clientv3.WithRev(w.after+1), clientv3.WithPrevKV())
	for answer := range stream {
		if answer.CompactRevision != 0 {
			return true, errRelist
		}
		if answer.Err() != nil {
			break
		}
		p.pause = firstPause
		for _, e := range answer.Events {
			if !w.event(ctx, e) {
				return false, nil
			}
		}
	}
	return true, p.once(w.refused)
}

// refused is the server's refusal behind a broken stream, or nil. The stream itself tells it as text only; a question that
// needs the same right is refused by name.
func (w *watch) refused(ctx context.Context) error {
	_, err := w.f.client.Get(ctx, root, clientv3.WithPrefix(), clientv3.WithLimit(1), clientv3.WithKeysOnly())
	return err
}

// event yields one event.
func (w *watch) event(ctx context.Context, e *clientv3.Event) (more bool) {
	w.after = e.Kv.ModRevision
	c := Change{Kind: Written}
	kv := e.Kv
	if e.Type == clientv3.EventTypeDelete {
		c.Kind = Gone
		if e.PrevKv != nil {
			kv = e.PrevKv
		}
	}
	c.Record = recordOf(kv, func(id string) Record { return w.machine(ctx, id) })
	c.Revision, c.As = e.Kv.ModRevision, e.Kv.ModRevision
	if c.Key == "" {
		renewed := c.Kind == Written && e.PrevKv != nil && string(e.PrevKv.Value) == string(e.Kv.Value)
		if c.Kind == Gone {
			delete(w.machines, c.MachineID)
		} else if w.machines[c.MachineID] = c.Record; renewed {
			return true
		}
	}
	return w.yield(c, nil)
}

// machine is the record of a machine, asked for where the watch began after it was written.
func (w *watch) machine(ctx context.Context, id string) Record {
	if m, known := w.machines[id]; known {
		return m
	}
	m := Record{MachineID: id}
	err := w.f.ask(ctx, func(ctx context.Context) error {
		found, err := w.f.client.Get(ctx, machineKey(id))
		if err == nil && len(found.Kvs) > 0 {
			m = recordOf(found.Kvs[0], nil)
		}
		return err
	})
	if err == nil {
		w.machines[id] = m
	}
	return m
}
