package lease

import (
	"context"
	"errors"
	"fmt"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
)

// timeFormat is acquiredAt's: UTC, three digits of milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"

// AcquireOption changes one Acquire.
type AcquireOption func(*wish)

// wish is what the caller of Acquire asks for beyond the lease.
type wish struct {
	exclusive, enabled, recover bool
	tool, version               string
}

// Exclusive asks to be alone: no live invocation of the plugin before, none admitted after. It is kept in the evidence.
func Exclusive() AcquireOption { return func(w *wish) { w.exclusive = true } }

// RequireEnabled refuses a plugin that has no record in plugins/. A plugin that has one must always match it.
func RequireEnabled() AcquireOption { return func(w *wish) { w.enabled = true } }

// RecoverFirst applies the provable removals of this plugin before it asks for admission, by the doctor's verdicts.
func RecoverFirst() AcquireOption { return func(w *wish) { w.recover = true } }

// Tool names the program that asks, for the evidence; a name and a version of [0-9A-Za-z._+()-].
func Tool(name, version string) AcquireOption {
	return func(w *wish) { w.tool, w.version = name, version }
}

// Acquire writes a new lease for one invocation: durable, parent-owned. An empty runID is replaced by a random one.
// Errors: ErrInvalid (wrapping the *wire.DecodeError), ErrNoIdentity, ErrNotActive, ErrBlocked; on these and on any other
// error but ErrUnsettled nothing was written and the handle is nil. With ErrUnsettled, and so with ErrNotDurable, the handle
// comes too: Resync it, or Close it.
func (r *Registry) Acquire(ctx context.Context, op leasefile.OperationIdentity, runID string, opts ...AcquireOption) (*Handle, error) {
	w := wish{tool: "containlease", version: "library"}
	for _, o := range opts {
		o(&w)
	}
	h, err := r.prepare(op, runID, w)
	if err != nil {
		return nil, err
	}
	if w.recover {
		if _, err := r.Repair(ctx, RepairOptions{Plugin: op.PluginID, Apply: true}); err != nil {
			return nil, fmt.Errorf("recovering plugin %s first: %w", op.PluginID, err)
		}
	}
	err = h.fire(ctx, fsm.Acquire, fsm.Input[leasefile.Host]{})
	var blocked *BlockedError
	if errors.As(err, &blocked) {
		r.tell(Observation{Kind: Blocked, Lease: blocked.Lease.ID, Plugin: op.PluginID,
			Event: fsm.Acquire, Detail: string(blocked.Block), Err: err})
	}
	if err != nil && !errors.Is(err, ErrUnsettled) {
		return nil, errors.Join(err, h.disown())
	}
	r.know(h, true)
	if err == nil {
		r.tidy(ctx)
	}
	return h, err
}

// prepare makes the lease in memory.
func (r *Registry) prepare(op leasefile.OperationIdentity, runID string, w wish) (*Handle, error) {
	if r.opt.readOnly {
		return nil, fmt.Errorf("%w: %s was opened read-only", ErrReadOnly, r.home.Dir())
	}
	self, err := r.opt.inspector.Self()
	if err != nil {
		return nil, err
	}
	if runID == "" {
		runID = uuid.NewString()
	}
	l := leasefile.LeaseV2{
		AcquiredAt:  r.opt.clock().UTC().Format(timeFormat),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusParentOwned},
		Identity:    op,
		LeaseID:     uuid.NewString(),
		Owner: leasefile.Owner{PID: self.PID, BootID: self.BootID, ProcessStartID: self.StartID,
			Token: uuid.NewString()},
		RunID: runID,
	}
	if err := l.Validate(); err != nil {
		return nil, fmt.Errorf("%w: the new lease: %w", ErrInvalid, err)
	}
	ns, err := r.opt.inspector.Namespaces()
	if err != nil {
		return nil, err
	}
	ev := leasefile.EvidenceV2{
		LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: w.tool, Version: w.version, Exclusive: w.exclusive,
		PIDNamespace: nullable(ns.PID), TimeNamespace: nullable(ns.Time), CgroupNamespace: nullable(ns.Cgroup),
		PIDNamespaceID: nullable(ns.PIDID), InitInode: nullable(ns.InitInode), InitStartID: text(ns.InitStartID),
		OwnerInode: nullable(self.Inode), AcquiredTicks: nullable(r.opt.inspector.Clock()), Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone},
	}
	if err := ev.Validate(); err != nil {
		return nil, fmt.Errorf("%w: the evidence: %w", ErrInvalid, err)
	}
	return newHandle(r, l, ev, w), nil
}

// admission is the lock of a create: under the catalogue lock it checks, takes the liveness lock, leaves the evidence and
// only then publishes. No sync is made in it.
func (h *Handle) admission(ctx context.Context) persist.Publish {
	return func(publish func() error) error {
		return h.reg.locked(ctx, file.Exclusive)(func() error {
			if err := h.reg.admit(ctx, h); err != nil {
				return err
			}
			if err := h.claim(); err != nil {
				return unpublished{err}
			}
			return publish()
		})
	}
}

// claim takes the liveness lock, born held, and leaves the evidence beside it: no lease is published without either.
func (h *Handle) claim() error {
	if h.liveness == nil {
		l, err := h.reg.home.Claim(h.id)
		if err != nil {
			return fmt.Errorf("liveness lock of lease %s: %w", h.id, err)
		}
		h.liveness = l
	} else if err := h.liveness.Check(); err != nil {
		return err
	}
	if h.evidenced {
		return nil
	}
	return h.writeEvidence()
}

// unpublished is why a lease was not published, in words of another file. What became of that one is no word about the
// lease: it is neither unsettled nor anybody else's.
type unpublished struct{ err error }

func (u unpublished) Error() string { return u.err.Error() }

// Is sees through to the cause, but not to an outcome.
func (u unpublished) Is(target error) bool {
	switch target {
	case persist.ErrUnsettled, persist.ErrNotDurable, persist.ErrExists, persist.ErrChanged:
		return false
	}
	return errors.Is(u.err, target)
}

// As sees through to the cause.
func (u unpublished) As(target any) bool { return errors.As(u.err, target) }
