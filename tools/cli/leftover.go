package cli

import (
	"context"
	"slices"
	"strings"

	"containlease/lease"
)

// leftover is what an invocation left that is no lease any more.
type leftover struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // why it is still there
	Next   string `json:"next"`   // "" where somebody has to look what it is
}

func (a *app) leftoversOf(left []lease.Leftover) []leftover {
	out := make([]leftover, len(left))
	for i, l := range left {
		out[i] = leftover{Path: l.Path, Reason: l.Reason}
		if l.Sweeps {
			out[i].Next = a.typed("doctor --apply")
		}
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
		again := func(l lease.Leftover) bool { return l.Path == r.Left.Path }
		if r.Left != nil && !slices.ContainsFunc(left, again) {
			left = append(left, *r.Left)
		}
	}
	return a.leftoversOf(left), err
}

// badPlugins are the records of plugins that are none; of one lease they are no finding.
func (a *app) badPlugins(reg *lease.Registry, id string) ([]leftover, error) {
	out := []leftover{}
	if id != "" {
		return out, nil
	}
	bad, err := reg.BadPlugins()
	for _, b := range bad {
		out = append(out, leftover{Path: b.Path, Reason: b.Err.Error(), Next: a.typed(enableAnew)})
	}
	return out, err
}

// enableAnew puts a record in a broken one's place. To take that away would widen what may start.
const enableAnew = "plugin enable FILE"

// leftoverText is two lines for each, and a third where there is something to type.
func leftoverText(what string, left []leftover) string {
	var b strings.Builder
	for _, l := range left {
		b.WriteString(what + plain(l.Path) + "\n" + wrap(l.Reason, "    "))
		if l.Next != "" {
			b.WriteString("    next: " + plain(l.Next) + "\n")
		}
	}
	return b.String()
}
