package scene

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
)

// Teller is told of a cycle as it goes: "try" before a write, "ack" once it is acknowledged as durable, "stop" where the
// host must not be let in. lease is "" while it has no name yet.
type Teller func(word, lease string, s fsm.State)

// Cycle takes one lease of plugin from acquire to release as package host does, with host in the host's place: an error before
// host-active is durable stops the host, and the lease is brought to its end all the same. After every step memory is
// compared with the disk. nil: released, and so acknowledged.
func Cycle(ctx context.Context, reg *lease.Registry, plugin string, host leasefile.Host, tell Teller) error {
	tell("try", "", fsm.StateParentOwned)
	h, err := reg.Acquire(ctx, Identity(plugin), "")
	if h == nil {
		return err
	}
	if err != nil {
		if err := h.Resync(ctx); err != nil {
			return errors.Join(err, h.Close())
		}
	}
	tell("ack", h.ID(), h.State())
	c := cycle{ctx: ctx, h: h, tell: tell}
	if err = c.letIn(host); err != nil {
		tell("stop", h.ID(), h.State())
	}
	for _, step := range []func() error{c.complete, c.release} {
		if serr := insist(h, step); serr != nil {
			return errors.Join(err, serr, h.Close())
		}
	}
	return nil
}

type cycle struct {
	ctx  context.Context
	h    *lease.Handle
	tell Teller
}

// letIn is what must succeed before the gate opens.
func (c cycle) letIn(host leasefile.Host) error {
	if err := c.h.Enclose(c.ctx, leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}, 0); err != nil {
		return err
	}
	for _, ev := range []fsm.Event{fsm.HostStarting, fsm.HostStarted} {
		if err := c.step(ev, host); err != nil {
			return err
		}
	}
	return nil
}

func (c cycle) complete() error { return c.step(fsm.CleanupComplete) }

func (c cycle) release() error {
	c.tell("try", c.h.ID(), fsm.StateReleased)
	err := c.h.Release(c.ctx)
	if err == nil {
		c.tell("ack", c.h.ID(), fsm.StateReleased)
	}
	return errors.Join(err, c.agree())
}

func (c cycle) step(ev fsm.Event, args ...any) error {
	if arrow, ok := fsm.Find(c.h.State(), ev); ok {
		c.tell("try", c.h.ID(), arrow.To)
	}
	err := c.h.Event(c.ctx, ev, args...)
	if err == nil {
		c.tell("ack", c.h.ID(), c.h.State())
	}
	return errors.Join(err, c.agree())
}

// insist repeats a step that failed once: whatever it was, it is over, and the caller is told that it may.
func insist(h *lease.Handle, step func() error) error {
	err := step()
	if errors.Is(err, ErrDisagree) {
		return err
	}
	if errors.Is(err, lease.ErrUnsettled) {
		if rerr := h.Resync(context.Background()); rerr != nil {
			return errors.Join(err, rerr)
		}
	}
	if err != nil {
		err = step()
	}
	return err
}

// ErrDisagree: the handle says something else than the disk.
var ErrDisagree = errors.New("memory and disk disagree")

// agree compares the handle with the disk, unless it says itself that it is in doubt.
func (c cycle) agree() error {
	s := c.h.Snapshot()
	if s.Frozen || s.Err != nil {
		return nil
	}
	content, err := os.ReadFile(filepath.Join(c.h.Registry().Dir(), "leases", c.h.ID()+".json"))
	gone := errors.Is(err, os.ErrNotExist)
	switch {
	case err != nil && !gone: // not to be read just now: nothing can be said
		return nil
	case gone && s.State == fsm.StateReleased, !gone && bytes.Equal(content, s.Lease.AppendCanonical(nil)):
		return nil
	}
	return fmt.Errorf("%w: it says %s, and on disk is %.300q", ErrDisagree, s.State, content)
}
