package persist

import (
	"context"
	"errors"
	"fmt"
)

// Op is what an Attempt does to its record.
type Op int

// The three writes.
const (
	Create Op = iota + 1
	Replace
	Remove
)

// Attempt is one write, complete: sending it again is sending the same bytes under the same condition. That is safe
// because a key never recurs and the life of a record has no cycle: once the condition has failed it fails for ever.
type Attempt struct {
	Key  string
	Op   Op
	Old  Digest // the condition of Replace and Remove
	Next []byte // the content of Create and Replace; never changed after the first Do
}

// Publish runs publish under the caller's lock and returns its error, or why the lock could not be had (then
// publish was not called). Once publish was called its own word counts: a lock that cannot be given back does not undo
// what was published. A nil Publish is no lock.
type Publish func(publish func() error) error

// under runs publish under the lock.
func (lock Publish) under(publish func() error) (err error) {
	if lock == nil {
		return publish()
	}
	called := false
	lerr := lock(func() error {
		called, err = true, publish()
		return err
	})
	if !called {
		return lerr
	}
	return err
}

// Do makes the write: stage, publish under lock, settle. nil: our exact bytes, durable. Errors: ErrExists,
// ErrChanged, ErrNotDurable, ErrUnsettled, or the cause of a write that did not land.
func (a Attempt) Do(ctx context.Context, s Store, lock Publish) error {
	w, err := a.publish(ctx, s, lock)
	if err != nil {
		return err
	}
	return w.Settle(ctx)
}

// Settle makes an unsettled attempt definite by sending it again: reading the old bytes after a lost reply proves
// nothing, for the first sending may still land. Refused with our own bytes in place (or, for a removal, with none)
// means that an earlier sending landed: nil, or ErrNotDurable where that could not be proved durable.
// ErrUnsettled: still not known, call again. ErrExists and ErrChanged: somebody else's bytes, ours cannot land any more.
func (a Attempt) Settle(ctx context.Context, s Store, lock Publish) error {
	err := a.Do(ctx, s, lock)
	switch {
	case err == nil || errors.Is(err, ErrUnsettled):
		return err
	case !errors.Is(err, ErrExists) && !errors.Is(err, ErrChanged):
		return fmt.Errorf("%w: sending it again: %w", ErrUnsettled, err)
	}
	landed, rerr := a.landed(ctx, s)
	switch {
	case rerr != nil:
		return fmt.Errorf("%w: reading it back: %w", ErrUnsettled, rerr)
	case !landed:
		return err
	}
	return a.harden(ctx, s, lock)
}

// landed reports whether the record is as the attempt would leave it.
func (a Attempt) landed(ctx context.Context, s Store) (bool, error) {
	e, err := s.Read(ctx, a.Key)
	if errors.Is(err, ErrNotExist) {
		return a.Op == Remove, nil
	}
	if err != nil {
		return false, err
	}
	return a.Op != Remove && e.Digest == DigestOf(a.Next), nil
}

// Syncer is a store in which a write that landed may still be lost with the power. Sync makes every earlier removal
// of key durable, through new descriptors: a sync that failed once is never repeated.
// A store without it promises that what landed is durable.
type Syncer interface {
	Sync(ctx context.Context, key string) error // ErrNotDurable
}

// harden makes an attempt that landed earlier durable, by a write of its own.
func (a Attempt) harden(ctx context.Context, s Store, lock Publish) error {
	if a.Op != Remove {
		again := Attempt{Key: a.Key, Op: Replace, Old: DigestOf(a.Next), Next: a.Next}
		if err := again.Do(ctx, s, lock); err != nil {
			return fmt.Errorf("%w: writing the same bytes again: %w", ErrNotDurable, err)
		}
		return nil
	}
	if sy, ok := s.(Syncer); ok {
		return sy.Sync(ctx, a.Key)
	}
	return nil
}

func (a Attempt) publish(ctx context.Context, s Store, lock Publish) (Write, error) {
	if a.Op == Remove {
		var w Write
		err := lock.under(func() (err error) { w, err = s.Remove(ctx, a.Key, a.Old); return err })
		return w, err
	}
	w, err := s.Stage(ctx, a.Key, a.Next)
	if err != nil {
		return nil, fmt.Errorf("staging: %w", err)
	}
	err = lock.under(func() error {
		if a.Op == Create {
			return w.Create(ctx)
		}
		return w.Replace(ctx, a.Old)
	})
	if err != nil {
		w.Discard()
		return nil, err
	}
	return w, nil
}
