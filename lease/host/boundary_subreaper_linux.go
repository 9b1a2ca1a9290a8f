package host

import (
	"context"
	"fmt"
	"syscall"

	"containlease/gen/leasefile"
	"containlease/lease"
)

// bare is a boundary that consists of the gate alone, which is a child subreaper in every kind.
type bare struct{ kind leasefile.BoundaryKind }

func (bare) build(context.Context, *lease.Handle) error { return nil }

func (b bare) record() leasefile.Boundary { return leasefile.Boundary{Kind: b.kind} }

func (bare) shape(*syscall.SysProcAttr) {}

// stop can do nothing: without the gate nobody knows which processes are meant.
func (bare) stop(g *gateProcess) string {
	if g.ended() {
		return "nobody waits for what it may have left behind"
	}
	return fmt.Sprintf("its gate, pid %d, goes on waiting", g.process.PID)
}

func (bare) dissolve() error { return nil }

// insideNothing is the subreaper's enclosure: the gate's own children are all there is.
type insideNothing struct{}

func (insideNothing) enter() error { return nil }

func (insideNothing) shape(*syscall.SysProcAttr) {}

func (insideNothing) kill(*children) {}

func (insideNothing) drained() error { return nil }
