package host

import (
	"context"
	"fmt"
	"syscall"

	"containlease/gen/leasefile"
	"containlease/lease"
)

// boundary is what encloses one invocation, as its owner handles it. The gate's side of the same kind is an enclosure.
type boundary interface {
	// build makes what has to be there before the gate, and puts it on record at once if its emptiness can be proved
	// without a gate: an owner that dies in between then leaves nothing unknown behind.
	build(context.Context, *lease.Handle) error
	// record is the boundary as the evidence keeps it; complete once it is built.
	record() leasefile.Boundary
	// shape changes how the gate is started.
	shape(*syscall.SysProcAttr)
	// stop ends what is inside without the gate's help, as far as the kind can, and says what it did.
	stop(*gateProcess) string
	// dissolve removes what was built. An error that is lease.ErrOccupied contradicts the gate's word that nothing is left.
	dissolve() error
}

// enclosure is a boundary from the gate's side.
type enclosure interface {
	// enter is what the gate does to itself before it greets its owner.
	enter() error
	// shape changes how the plugin is started, so that it is born inside.
	shape(*syscall.SysProcAttr)
	// kill reaches what is inside and is no child of the gate's (its children it kills itself).
	kill(*children)
	// drained returns once nothing is inside, when there are no children any more; an error: it cannot be told.
	drained() error
}

// boundaryOf returns the owner's side of a kind.
func boundaryOf(kind leasefile.BoundaryKind) (boundary, error) {
	switch kind {
	case leasefile.BoundaryKindSubreaper, leasefile.BoundaryKindProcessGroup:
		return bare{kind}, nil
	case leasefile.BoundaryKindCgroupV2:
		return &controlGroup{}, nil
	case leasefile.BoundaryKindPIDNamespace:
		return pidNamespace{}, nil
	}
	return nil, fmt.Errorf("%w: there is no kind %q", ErrBoundary, kind)
}

// enclosureOf returns the gate's side of a boundary, entered.
func enclosureOf(b leasefile.Boundary, tty bool) (e enclosure, err error) {
	switch b.Kind {
	case leasefile.BoundaryKindCgroupV2:
		e = &insideControlGroup{place: lease.PlaceOf(b)}
	case leasefile.BoundaryKindPIDNamespace:
		e = insidePIDNamespace{}
	case leasefile.BoundaryKindProcessGroup:
		e = insideProcessGroup{own: !tty}
	default:
		e = insideNothing{}
	}
	return e, e.enter()
}
