package host

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/cgroup"
)

// controlGroup encloses the plugin in a group of the unified hierarchy, below the owner's own group. The gate stays outside of
// it, in the owner's: a group that the gate is in would never be empty while somebody is there to say so. It is the plugin that is
// cloned into the group, so nothing of it ever runs outside.
type controlGroup struct{ group *cgroup.Group }

func (c *controlGroup) build(ctx context.Context, h *lease.Handle) error {
	own, err := cgroup.Own()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBoundary, err)
	}
	if c.group, err = cgroup.Make(own, cgroup.Prefix+h.ID()); err != nil {
		return fmt.Errorf("%w: %w", ErrBoundary, err)
	}
	_ = c.group.SetHome(h.Registry().Dir()) // for people: where it cannot be written, nothing is lost
	// An empty group proves itself: on record at once, it is removed with the lease whatever happens next.
	if err := h.EncloseGroup(ctx, c.group.Place()); err != nil {
		return errors.Join(err, c.dissolve())
	}
	return nil
}

func (c *controlGroup) record() leasefile.Boundary {
	p := c.group.Place()
	return leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: p.Path, Inode: int64(p.Inode), ParentInode: int64(p.ParentInode)}
}

func (*controlGroup) shape(*syscall.SysProcAttr) {}

func (c *controlGroup) stop(g *gateProcess) string {
	err := c.group.Kill()
	empty := false
	if err == nil {
		empty, err = c.group.Await(killWait)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("its control group could not be ended: %v", err)
	case !empty:
		return "what is in its control group was killed, and does not die"
	case g.ended():
		return "its control group was killed and is empty; whether somebody had left it, nobody can tell"
	}
	return "its control group is empty, but somebody left it and lives: the gate goes on waiting"
}

func (c *controlGroup) dissolve() error {
	if c.group == nil {
		return nil
	}
	defer c.group.Close()
	return c.group.Remove()
}

// insideControlGroup is the same group, opened by the gate.
type insideControlGroup struct {
	place cgroup.Place
	group *cgroup.Group
}

func (c *insideControlGroup) enter() (err error) {
	if c.group, err = cgroup.Open(c.place); err != nil {
		return err
	}
	return c.group.Hold() // it is in use also when the owner that made it has ended
}

func (c *insideControlGroup) shape(a *syscall.SysProcAttr) {
	a.UseCgroupFD, a.CgroupFD = true, c.group.FD()
}

// kill errs in silence: drained goes on waiting, and the owner's patience is bounded.
func (c *insideControlGroup) kill(*children) { _ = c.group.Kill() }

func (c *insideControlGroup) drained() error {
	for ; ; time.Sleep(rarely) { // rather than to wait in poll, which may be refused, or interrupted for ever
		if empty, err := c.group.Await(0); empty || err != nil {
			return err
		}
	}
}
