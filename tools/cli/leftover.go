package cli

import (
	"context"
	"strings"

	"containlease/lease"
)

// leftover is what an invocation left that is no lease any more.
type leftover struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // why it is still there
	Next   string `json:"next"`
}

func leftoversOf(left []lease.Leftover) []leftover {
	out := make([]leftover, len(left))
	for i, l := range left {
		out[i] = leftover(l)
	}
	return out
}

// leftovers are what doctor left of the leases that it removed, and what lies in the home: swept first with --apply.
func (a *app) leftovers(reg *lease.Registry, rows []lease.Repaired, apply bool) ([]leftover, error) {
	ctx, cancel := a.limit(context.Background())
	defer cancel()
	look := reg.Leftovers
	if apply {
		look = reg.Sweep
	}
	left, err := look(ctx)
	for _, r := range rows {
		if r.Left != nil {
			left = append(left, *r.Left)
		}
	}
	return leftoversOf(left), err
}

// badPlugins are the records of plugins that are none; of one lease they are no finding.
func badPlugins(reg *lease.Registry, id string) ([]leftover, error) {
	out := []leftover{}
	if id != "" {
		return out, nil
	}
	bad, err := reg.BadPlugins()
	for _, b := range bad {
		out = append(out, leftover{Path: b.Path, Reason: b.Err.Error(), Next: b.Next})
	}
	return out, err
}

// leftoverText is three lines for each.
func leftoverText(what string, left []leftover) string {
	var b strings.Builder
	for _, l := range left {
		b.WriteString(what + plain(l.Path) + "\n" + wrap(l.Reason, "    ") + "    next: " + plain(l.Next) + "\n")
	}
	return b.String()
}
