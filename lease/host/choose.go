package host

import (
	"fmt"
	"slices"
	"strings"

	"containlease/gen/leasefile"
)

// Auto asks for the best boundary that needs no leave: a control group where one can be made, else the subreaper.
const Auto = "auto"

// Choice is the kind of boundary that an invocation gets, and why.
type Choice struct {
	Kind string // as in the evidence
	Why  string // for people; names the better ones that are not possible here
}

// Kinds are the words that WithBoundary and Choose take, the best proof first. Treat it as a constant.
var Kinds = []string{
	Auto,
	string(leasefile.BoundaryKindCgroupV2),
	string(leasefile.BoundaryKindPIDNamespace),
	string(leasefile.BoundaryKindSubreaper),
	string(leasefile.BoundaryKindProcessGroup),
}

const askedFor = "it was asked for"

// permitted refuses what is no kind, and the kind that proves nothing unless that was accepted.
func permitted(o options) error {
	switch {
	case !slices.Contains(Kinds, o.boundary):
		return fmt.Errorf("%w: %q is none of %s", ErrBoundary, o.boundary, strings.Join(Kinds, ", "))
	case o.boundary == string(leasefile.BoundaryKindProcessGroup) && !o.unproved:
		return ErrUnproved
	}
	return nil
}
