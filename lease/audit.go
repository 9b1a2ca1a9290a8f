package lease

import (
	"context"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/persist/file"
)

// AuditLog is the home's record of what operators decided, one audit-v1 line each.
const AuditLog = "audit.jsonl"

// Audit writes down a decision of an operator, durably, before it is acted upon: its time is set here. rule names what allowed
// it, reason is the operator's. ErrInvalid, ErrReadOnly; an error of the write: then the decision must not be acted upon.
func (r *Registry) Audit(ctx context.Context, a leasefile.AuditV1) error {
	if r.opt.readOnly {
		return fmt.Errorf("%w: %s: nothing can be audited", ErrReadOnly, r.home.Dir())
	}
	a.At = r.opt.clock().UTC().Format(timeFormat)
	if err := a.Validate(); err != nil {
		return fmt.Errorf("%w: the audit line: %w", ErrInvalid, err)
	}
	return r.locked(ctx, file.Exclusive)(func() error { return r.home.Append(AuditLog, a.AppendCanonical(nil)) })
}
