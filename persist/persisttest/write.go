package persisttest

import (
	"context"
	"fmt"

	"containlease/persist"
)

// write is one write with its fault.
type write struct {
	persist.Write
	f       *Faulty
	fault   Fault
	attempt persist.Attempt
}

// Stage stages, and takes the next fault for the whole write.
func (f *Faulty) Stage(ctx context.Context, key string, content []byte) (persist.Write, error) {
	w := &write{f: f, fault: f.pop(), attempt: persist.Attempt{Key: key, Next: content}}
	if w.fault == NotStaged {
		return nil, ErrInjected
	}
	var err error
	w.Write, err = f.Store.Stage(ctx, key, content)
	return w, err
}

// Remove removes, with the next fault.
func (f *Faulty) Remove(ctx context.Context, key string, old persist.Digest) (persist.Write, error) {
	w := &write{f: f, fault: f.pop(), attempt: persist.Attempt{Key: key, Op: persist.Remove, Old: old}}
	if w.fault == NotStaged {
		return nil, ErrInjected
	}
	err := w.publish(ctx, func() (err error) { w.Write, err = f.Store.Remove(ctx, key, old); return err })
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (w *write) Create(ctx context.Context) error {
	w.attempt.Op = persist.Create
	return w.publish(ctx, func() error { return w.Write.Create(ctx) })
}

func (w *write) Replace(ctx context.Context, old persist.Digest) error {
	w.attempt.Op, w.attempt.Old = persist.Replace, old
	return w.publish(ctx, func() error { return w.Write.Replace(ctx, old) })
}

// publish makes the publication, or does not, and answers what the fault says.
func (w *write) publish(ctx context.Context, do func() error) error {
	lost := fmt.Errorf("%w: %s: %w", persist.ErrUnsettled, w.fault, ErrInjected)
	switch w.fault {
	case LostRequest:
		return lost
	case LandsLate:
		w.f.mu.Lock()
		defer w.f.mu.Unlock()
		w.f.late = append(w.f.late, w.attempt)
		return lost
	case Slow:
		w.f.waiting <- w.attempt.Key
		select {
		case <-w.f.resume:
		case <-ctx.Done():
			return lost
		}
	}
	if err := do(); err != nil {
		return err
	}
	w.f.note(w.attempt)
	if w.fault == LostReply {
		if err := w.Write.Settle(ctx); err != nil {
			return err
		}
		return lost
	}
	return nil
}

// Settle settles, unless it may not be known.
func (w *write) Settle(ctx context.Context) error {
	if err := w.Write.Settle(ctx); err != nil {
		return err
	}
	switch w.fault {
	case ErrorAfterCommit:
		return fmt.Errorf("%w: %w", persist.ErrUnsettled, ErrInjected)
	case NotDurable:
		return fmt.Errorf("%w: %w", persist.ErrNotDurable, ErrInjected)
	}
	return nil
}
