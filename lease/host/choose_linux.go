package host

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease/cgroup"

	"golang.org/x/sys/unix"
)

// Choose finds out which boundary a Run with these options would get, before a lease is acquired and anything written. Where the
// kind that is asked for takes leave of the system, it is tried. ErrBoundary, with the reason, where it is not possible here; ErrUnproved;
// ErrNoGate.
func Choose(opts ...Option) (Choice, error) {
	o := collect(opts)
	if err := permitted(o); err != nil {
		return Choice{}, err
	}
	asked := Choice{Kind: o.boundary, Why: askedFor}
	switch o.boundary {
	case Auto:
		return best()
	case string(leasefile.BoundaryKindCgroupV2):
		if err := cgroup.Try(); err != nil {
			return Choice{}, fmt.Errorf("%w: cgroup-v2: %w", ErrBoundary, err)
		}
	case string(leasefile.BoundaryKindPIDNamespace):
		return asked, tryGate(pidNamespace{}, o)
	}
	return asked, nil
}

// best is auto's choice. A PID namespace changes what the plugin sees, so it is never taken unasked. What has only run out just now
// says nothing of what is possible here: a weaker kind is not taken for that.
func best() (Choice, error) {
	switch err := cgroup.Try(); {
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOMEM):
		return Choice{}, fmt.Errorf("which boundary can be had was not found out: %w", err)
	case err != nil:
		return Choice{string(leasefile.BoundaryKindSubreaper), fmt.Sprintf("no cgroup-v2: %v; pid-namespace is by request only", err)}, nil
	}
	return Choice{string(leasefile.BoundaryKindCgroupV2), "it is the best that needs no request"}, nil
}

// tryGate starts a gate in b that is given no lease, and ends it once it has greeted.
func tryGate(b boundary, o options) error {
	g, err := launch(&exec.Cmd{}, b, o)
	if err == nil {
		err = g.greet(spec{Boundary: b.record()})
		_ = g.end(killWait)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrBoundary, b.record().Kind, err)
	}
	return nil
}

// greet gives the gate its task and waits for its first word.
func (g *gateProcess) greet(s spec) error {
	if err := g.conn.SetDeadline(time.Now().Add(killWait)); err != nil {
		return err
	}
	err := send(g.conn, kindSpec, s)
	var f frame
	if err == nil {
		f, err = receive(g.conn.in)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return fmt.Errorf("%w: %w", errUngreeted, err)
	}
	if err != nil {
		return fmt.Errorf("it said nothing: %w", err)
	}
	var w word
	switch {
	case f.kind == kindHello:
		return nil
	case f.kind == kindFailed && f.read(&w) == nil:
		return fmt.Errorf("it says: %s", w.Text)
	}
	return fmt.Errorf("it said %q for a greeting", f.kind)
}
