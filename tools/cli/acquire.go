package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
)

// The pauses between two tries for a plugin that a live exclusive holder has: a release cannot be waited for otherwise.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// acquire gets the lease, waiting with --wait for a live exclusive holder. A signal that means the end interrupts it;
// then nothing is left behind, and the error is an *ended with 128+n.
func (a *app) acquire(reg *lease.Registry, op leasefile.OperationIdentity, f runFlags, signals caught) (*lease.Handle, error) {
	ctx, stop := signals.untilSignal()
	h, err := a.waitFor(ctx, reg, op, f)
	sig := stop()
	switch {
	case sig == nil:
		return h, err
	case h == nil && err != nil && !errors.Is(err, context.Canceled):
		return nil, err // it failed for its own reason
	case h != nil:
		err = abandon(h)
	default:
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return nil, &ended{code: 128 + signalNumber(sig), note: fmt.Sprintf("%v before the plugin was started", sig)}
}

func (a *app) waitFor(ctx context.Context, reg *lease.Registry, op leasefile.OperationIdentity, f runFlags) (*lease.Handle, error) {
	deadline := time.Now().Add(f.wait)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		h, err := a.try(ctx, reg, op, f)
		left := time.Until(deadline)
		if !errors.Is(err, lease.ErrHeld) || left <= 0 {
			return h, err
		}
		if pause == firstPause {
			a.note("waiting up to %v: %v", f.wait, err)
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try is one Acquire, and one Resync where its outcome is in doubt.
func (a *app) try(ctx context.Context, reg *lease.Registry, op leasefile.OperationIdentity, f runFlags) (*lease.Handle, error) {
	ctx, cancel := a.limit(ctx)
	defer cancel()
	opts := []lease.AcquireOption{lease.Tool(program, toolVersion())}
	for _, o := range []struct {
		wanted bool
		option lease.AcquireOption
	}{{f.exclusive, lease.Exclusive()}, {f.enabled, lease.RequireEnabled()}, {f.recover, lease.RecoverFirst()}} {
		if o.wanted {
			opts = append(opts, o.option)
		}
	}
	h, err := reg.Acquire(ctx, op, f.runID, opts...)
	if h == nil || err == nil {
		return h, err
	}
	if rerr := h.Resync(ctx); rerr != nil {
		return nil, errors.Join(err, rerr, h.Close())
	}
	return h, nil
}

// abandon releases a lease under which nothing was started.
func abandon(h *lease.Handle) error {
	ctx := context.Background()
	if err := h.Event(ctx, fsm.CleanupComplete); err != nil {
		return errors.Join(err, h.Close())
	}
	return h.Release(ctx)
}
