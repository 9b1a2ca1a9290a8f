package lease

import (
	"context"
	"fmt"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/cgroup"
	"containlease/persist/file"
)

// Enclose records in the evidence what encloses the host's processes, and the host's pidfs inode (0 where it is not known),
// before hostStarting. It is not synced: evidence decides only within one boot. ErrRefused in any other state than
// parent-owned.
func (h *Handle) Enclose(ctx context.Context, b leasefile.Boundary, hostInode uint64) error {
	return h.enclose(ctx, b, "", hostInode)
}

// EncloseGroup is Enclose for a control group, before there is a host. What is told of the place, its
// chain included, stays on record when Enclose names the same boundary again.
func (h *Handle) EncloseGroup(ctx context.Context, p cgroup.Place) error {
	b := leasefile.Boundary{Kind: leasefile.BoundaryKindCgroupV2, Path: p.Path, Inode: int64(p.Inode),
		ParentInode: int64(p.ParentInode)}
	return h.enclose(ctx, b, p.Chain, 0)
}

func (h *Handle) enclose(ctx context.Context, b leasefile.Boundary, chain string, inode uint64) error {
	if err := h.turn.take(ctx); err != nil {
		return h.explain(err, "the boundary was not recorded")
	}
	defer h.turn.give()
	if s := h.machine.State(); s != fsm.StateParentOwned {
		return &fsm.TransitionError{Lease: h.id, State: s, Event: fsm.HostStarting, Class: fsm.OutOfOrder,
			Detail: "a boundary is recorded before the host"}
	}
	if err := h.usable(fsm.HostStarting); err != nil {
		return err
	}
	before := h.evidence
	switch {
	case chain != "":
		h.evidence.BoundaryChain = &chain
	case b != before.Boundary:
		h.evidence.BoundaryChain = nil
	}
	h.evidence.Boundary, h.evidence.HostInode = b, nullable(inode)
	if err := h.writeEvidence(); err != nil {
		h.evidence = before
		return err
	}
	return nil
}

// knownEvidence is what was last written beside the lease.
func (h *Handle) knownEvidence(ctx context.Context) (leasefile.EvidenceV2, error) {
	if err := h.turn.take(ctx); err != nil {
		return leasefile.EvidenceV2{}, h.explain(err, "its boundary was not looked up")
	}
	defer h.turn.give()
	return h.evidence, nil
}

// writeEvidence replaces the evidence beside the lease. The caller has the turn and the liveness lock.
func (h *Handle) writeEvidence() error {
	if err := h.evidence.Validate(); err != nil {
		return fmt.Errorf("%w: the evidence of lease %s: %w", ErrInvalid, h.id, err)
	}
	if err := h.reg.home.WriteRecord("owners/"+h.id+".json", h.evidence.AppendCanonical(nil), file.Volatile); err != nil {
		return fmt.Errorf("the evidence of lease %s: %w", h.id, err)
	}
	h.evidenced = true
	return nil
}
