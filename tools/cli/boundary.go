package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
)

// boundaryOptions are what the flags say of the boundary.
func (f runFlags) boundaryOptions() []host.Option {
	opts := []host.Option{host.WithBoundary(f.boundary)}
	if f.unproved {
		opts = append(opts, host.AcceptUnproved())
	}
	return opts
}

// auditUnproved writes down, before anything is acquired, that a boundary was accepted which proves nothing.
func (a *app) auditUnproved(reg *lease.Registry, c host.Choice, argv []string) error {
	if c.Kind != string(leasefile.BoundaryKindProcessGroup) {
		return nil
	}
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	return reg.Audit(ctx, leasefile.AuditV1{
		Action: leasefile.AuditActionAcceptUnproved, Rule: c.Kind,
		Reason: auditText(fmt.Sprintf("run --boundary %s --accept-unproved: %s", c.Kind, strings.Join(argv, " "))),
	})
}

// auditText makes any text one that an audit line takes: at most 1024 characters, none of them a control character.
func auditText(s string) string {
	runes := []rune(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "?")))
	return string(runes[:min(len(runes), 1024)])
}
