//go:build linux || darwin || freebsd

package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"

	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"
)

const machineID = "machine.json"

// scene is one story. Everything in it is explored, except what prepare does.
type scene struct {
	name    string
	prepare func(*world) error
	play    func(*world) error
	fault   func() func(memory.Call) error // of the play
}

var (
	v   = [][]byte{body(0, 900), body(1, 1100), body(2, 1000), body(3, 1050), body(4, 1101)}
	ctx = context.Background()
)

// body is a content of n bytes that no other version shares.
func body(version, n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%07d\n", version), n/8+1)[:n]
}

func create(next []byte) func(*world) error {
	return func(w *world) error { return w.do(persist.Attempt{Op: persist.Create, Next: next}) }
}

func replace(old, next []byte) func(*world) error {
	return func(w *world) error {
		return w.do(persist.Attempt{Op: persist.Replace, Old: persist.DigestOf(old), Next: next})
	}
}

func remove(old []byte) func(*world) error {
	return func(w *world) error { return w.do(persist.Attempt{Op: persist.Remove, Old: persist.DigestOf(old)}) }
}

func all(steps ...func(*world) error) func(*world) error {
	return func(w *world) error {
		for _, step := range steps {
			if err := step(w); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *world) again() error { return w.start() }

// owner is what acquire makes beside the lease: the lock, born held, and the evidence.
func owner(w *world) error {
	if err := w.claim(); err != nil {
		return err
	}
	return w.home.WriteRecord("owners/"+key+".json", body(7, 300), file.Volatile)
}

func evidence(w *world) error {
	return w.home.WriteRecord("owners/"+key+".json", body(8, 310), file.Volatile)
}

var acquire = all(owner, create(v[0]))

// cycle is the life of a lease, the owner's files and its nine syncs included.
var cycle = all(acquire, evidence, replace(v[0], v[1]), replace(v[1], v[2]), replace(v[2], v[3]), remove(v[3]), (*world).retire)

var scenes = []scene{
	{name: "home", prepare: nothing, play: all((*world).start, acquire)},
	{name: "acquire", prepare: (*world).start, play: acquire},
	{name: "replace, first", prepare: all((*world).start, acquire), play: replace(v[0], v[1])},
	{name: "replace, later", prepare: all((*world).start, acquire, replace(v[0], v[1])), play: replace(v[1], v[2])},
	{name: "replace by another process", prepare: all((*world).start, acquire, replace(v[0], v[1]), (*world).again, (*world).seize), play: replace(v[1], v[2])},
	{name: "replace twice", prepare: all((*world).start, acquire), play: all(replace(v[0], v[1]), replace(v[1], v[2]))},
	{name: "remove", prepare: all((*world).start, acquire), play: all(remove(v[0]), (*world).retire)},
	{name: "whole cycle", prepare: (*world).start, play: cycle},
	{name: "whole cycle without nameless files and exchange", prepare: (*world).start, play: cycle, fault: plain},
	{name: "replace, its directory sync fails, settled", prepare: all((*world).start, acquire), play: all(replace(v[0], v[1]), replace(v[1], v[2])), fault: firstSyncFails},
	{name: "remove, its directory sync fails, settled", prepare: all((*world).start, acquire), play: remove(v[0]), fault: firstSyncFails},
	{name: "record", prepare: (*world).start, play: all(record(v[0]), record(v[1]), unrecord)},
	{name: "record, relied upon", prepare: (*world).start, play: all(firstRecord(v[0]), (*world).rely)},
	{name: "audit", prepare: (*world).start, play: all(audit("one"), audit("two"))},
	{name: "quarantine", prepare: all((*world).start, acquire), play: quarantine},
}

func nothing(*world) error { return nil }

// plain is a file system without nameless files and without exchange.
func plain() func(memory.Call) error {
	return func(c memory.Call) error {
		if c.Op == "Exchange" || c.Op == "Create" && c.Name == "" {
			return errors.ErrUnsupported
		}
		return nil
	}
}

// firstSyncFails lets the first sync of a directory fail.
func firstSyncFails() func(memory.Call) error {
	failed := false
	return func(c memory.Call) error {
		if c.Op == "Sync" && !failed {
			failed = true
			return syscall.EIO
		}
		return nil
	}
}

func record(content []byte) func(*world) error {
	return func(w *world) error {
		return w.change(machineID, content, func() error { return w.home.WriteRecord(machineID, content, file.Durable) })
	}
}

func unrecord(w *world) error {
	return w.change(machineID, nil, func() error { return w.home.RemoveRecord(machineID) })
}

// audit appends a line; the lines before it stay.
func audit(line string) func(*world) error {
	return func(w *world) error {
		if err := w.locked(func() error { return w.home.Append(context.Background(), "audit.jsonl", []byte(line)) }); err != nil {
			return err
		}
		w.lines = append(w.lines, line)
		return nil
	}
}

func firstRecord(content []byte) func(*world) error {
	return func(w *world) error {
		return w.change(machineID, content, func() error { return w.home.CreateRecord(machineID, content, file.Durable) })
	}
}

// rely makes sure that a record stays which somebody else may have written, and expects that from now on.
func (w *world) rely() error {
	content, err := w.home.ReadRecord(machineID)
	if err == nil {
		err = w.home.EnsureRecord(machineID)
	}
	if errors.Is(err, persist.ErrNotExist) {
		return nil
	}
	if err == nil {
		w.may[machineID] = []string{string(content)}
	}
	return err
}
