package host

import (
	"context"
	"errors"

	"containlease/fsm"
	"containlease/lease"
)

// record fires the event that ends an invocation. If its write, or an earlier one, is unsettled, the handle is settled
// once and asked again: the event is then new, or a repeat of what had landed.
func record(ctx context.Context, h *lease.Handle, ev fsm.Event, args ...any) error {
	err := h.Event(ctx, ev, args...)
	if !errors.Is(err, lease.ErrUnsettled) {
		return err
	}
	if rerr := h.Resync(ctx); rerr != nil {
		return errors.Join(err, rerr)
	}
	return h.Event(ctx, ev, args...)
}
