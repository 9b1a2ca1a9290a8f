package lease

import (
	"context"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/persist"
)

// AuditLog is the home's record of what operators decided and of what the doctor removed, one audit-v1 line each.
const AuditLog = "audit.jsonl"

// Audit writes down a decision of an operator, durably, before it is acted upon: its time is set here. rule names what allowed
// it, reason is the operator's. The catalogue lock is not taken. ErrInvalid, ErrReadOnly; an error of the write: then the
// decision must not be acted upon.
func (r *Registry) Audit(ctx context.Context, a leasefile.AuditV1) error {
	if r.opt.readOnly {
		return fmt.Errorf("%w: %s: nothing can be audited", ErrReadOnly, r.home.Dir())
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	a.At = r.opt.clock().UTC().Format(timeFormat)
	if err := a.Validate(); err != nil {
		return fmt.Errorf("%w: the audit line: %w", ErrInvalid, err)
	}
	return r.home.Append(AuditLog, a.AppendCanonical(nil))
}

// auditRemoval writes down what the doctor has removed. It comes after the removal, which was proved and needs nobody's
// leave: on a full disk the proved leases go all the same, and only the line is missing, which is told.
func (r *Registry) auditRemoval(ctx context.Context, i Inspection) {
	line := lineAbout(leasefile.AuditActionRemove, i, "proved gone: "+i.Verdict.Because)
	if err := r.Audit(context.WithoutCancel(ctx), line); err != nil {
		r.tell(Observation{Kind: Noted, Lease: i.ID, Plugin: i.Plugin, Detail: "its removal is missing in " + AuditLog, Err: err})
	}
}

// lineAbout is the audit line of something done to a record. A name that is no lease's stands before the reason.
func lineAbout(what leasefile.AuditAction, i Inspection, reason string) leasefile.AuditV1 {
	a := leasefile.AuditV1{Action: what, Rule: i.Verdict.Rule, Reason: reason}
	if i.Digest != (persist.Digest{}) {
		d := i.Digest.String()
		a.Digest = &d
	}
	if i.Foreign {
		a.Reason = i.ID + ": " + reason
	} else {
		a.LeaseID = &i.ID
	}
	return a
}
