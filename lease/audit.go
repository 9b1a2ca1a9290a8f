package lease

import (
	"context"
	"fmt"
	"time"

	"containlease/gen/leasefile"
	"containlease/persist"
)

// AuditLog is the home's record of what operators decided and of what the doctor removed, one audit-v1 line each.
const AuditLog = "audit.jsonl"

// Audit writes down a decision of an operator, durably, before it is acted upon: its time is set here. rule names what allowed
// it, reason is the operator's. The catalogue lock is not taken. ErrInvalid, ErrReadOnly; an error of the write, or
// of ctx, which bounds the wait for other writers: then the decision must not be acted upon.
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
	return r.home.Append(ctx, AuditLog, a.AppendCanonical(nil))
}

// auditPatience is how long a removal that is done, or a decision that is to be done, waits for other writers of the log: they need milliseconds, so one that
// takes longer is stopped, and must not stop every doctor.
const auditPatience = 2 * time.Second

// auditSoon is Audit for who holds the catalogue lock: a stopped writer of the log must not hold up everybody.
func (r *Registry) auditSoon(ctx context.Context, line leasefile.AuditV1) error {
	ctx, cancel := context.WithTimeout(ctx, auditPatience)
	defer cancel()
	return r.Audit(ctx, line)
}

// auditRemoval writes down what the doctor has removed. It comes after the removal, which was proved and needs nobody's
// leave: on a full disk, or beside a stopped writer, the proved leases go all the same, and only the line is missing, which is
// told. The end of ctx does not spare the line of what was removed before it.
func (r *Registry) auditRemoval(ctx context.Context, i Inspection) {
	line := lineAbout(leasefile.AuditActionRemove, i, "proved gone: "+i.Verdict.Because)
	if err := r.auditSoon(context.WithoutCancel(ctx), line); err != nil {
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
