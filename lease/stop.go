package lease

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist"
)

// Stopped is what Stop found and did.
type Stopped struct {
	Inspection       // as judged last
	Asked      Life  // who was seen alive, and so was asked to end; zero where nobody was
	Killed     bool  // the grace was over before all had ended
	Cleared    bool  // the end is proved, and the lease removed
	Left       error // why an empty control group remains, or nil
}

// stopTick is how often is looked who is left. No event tells of all of them.
const stopTick = 50 * time.Millisecond

// Stop ends what is left of an invocation whose owner is dead, and clears its lease by the doctor's verdict. Who is asked (TERM),
// and after the grace killed, is proved at that very moment to be the invocation's: the processes of the recorded control
// group, found by its inode; the host, by its identity, which as a gate is asked to end its own grace and kills by itself; the
// init of a PID namespace; whoever carries the mark, by identity. It goes into AuditLog before the first signal. Then Stop waits
// until nothing of it is seen, and no longer than ctx: the killed end when the kernel lets them.
//
// ErrUnproved, with the Stopped: nothing of it is seen any more and nothing proves its end, or ctx ended (its cause is in the
// error) while something was; the lease stays, and its Next says what is left to do. A *DecisionError refuses, and nothing was signalled: ErrInUse while somebody holds
// the liveness lock or the owner is alive; ErrNotForThis where the lease is another program's, cannot be judged here, or this
// very process belongs to the invocation. Others: ErrReadOnly, ErrNotExist, and errors of the removal.
func (r *Registry) Stop(ctx context.Context, id string, grace time.Duration) (Stopped, error) {
	if r.opt.readOnly {
		return Stopped{}, fmt.Errorf("%w: %s", ErrReadOnly, r.home.Dir())
	}
	s := &stopper{r: r, asked: map[target]bool{}}
	i, err := r.Inspect(ctx, id)
	s.out.Inspection = i
	if err != nil {
		return s.out, err
	}
	if o := s.objects(i); o != nil {
		return s.out, s.refusal(o)
	}
	if i.remains() {
		if err := s.end(ctx, grace); err != nil {
			return s.out, err
		}
	}
	return s.clear(ctx)
}

// stopper is one Stop at work.
type stopper struct {
	r     *Registry
	out   Stopped
	asked map[target]bool
}

// objects says why nothing of a lease may be signalled.
func (s *stopper) objects(i Inspection) *objection {
	f := i.Facts
	switch {
	case i.Lease == nil:
		return &objection{ErrNotForThis, "it is no lease of a known version"}
	case f.Lock == verdict.LockHeld:
		return &objection{ErrInUse, "somebody holds its liveness lock: stop the owner, and it ends the rest"}
	case f.Owner == verdict.Live:
		return &objection{ErrInUse, fmt.Sprintf("its owner, pid %s, is alive", i.ownerWord())}
	case !f.SameMachine, !f.BootReliable:
		return &objection{ErrNotForThis, i.Verdict.Because}
	case f.Lock == verdict.LockMissing:
		return &objection{ErrNotForThis, "it keeps no liveness lock: it is another program's"}
	case f.Lock != verdict.LockFree:
		return &objection{ErrInUse, i.Verdict.Because}
	case s.r.within(i):
		return &objection{ErrNotForThis, "this process was started by the plugin itself, and would have to end first"}
	}
	return nil
}

func (s *stopper) refusal(o *objection) error {
	return &DecisionError{Action: leasefile.AuditActionStop, Lease: s.out.Inspection, Err: o.kind, Why: o.why}
}

// within reports whether the calling process is one of those that would be ended: it carries the lease's mark, or is in its group.
func (r *Registry) within(i Inspection) bool {
	self, err := r.opt.inspector.Self()
	if err != nil {
		return false
	}
	return slices.Contains(i.Life.Members, self.PID) ||
		slices.ContainsFunc(i.Life.Carriers, func(p process.Process) bool { return p.Identity == self.Identity })
}

// end writes down what is about to be done, asks, waits for the grace, kills, and waits.
func (s *stopper) end(ctx context.Context, grace time.Duration) error {
	s.out.Asked = s.out.Life
	line := lineAbout(leasefile.AuditActionStop, s.out.Inspection, "to be ended: "+s.out.Life.String())
	if err := s.r.Audit(ctx, line); err != nil {
		return err
	}
	graced, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if over, err := s.until(graced, s.ask); over || err != nil {
		return err
	}
	s.out.Killed = ctx.Err() == nil
	over, err := s.until(ctx, s.kill)
	if !over && err == nil {
		err = fmt.Errorf("%w: lease %s: alive: %s: %w", ErrUnproved, s.out.ID, s.out.Life, context.Cause(ctx))
	}
	return err
}

// until signals whoever is there, and looks again, until nobody is seen (over) or ctx ends.
func (s *stopper) until(ctx context.Context, signal func(Inspection)) (over bool, err error) {
	for ctx.Err() == nil {
		if s.objects(s.out.Inspection) == nil { // a doctor at work holds the lock for a moment
			signal(s.out.Inspection)
		}
		select {
		case <-ctx.Done():
		case <-time.After(stopTick):
		}
		if over, err = s.look(); over || err != nil {
			return over, err
		}
	}
	return false, nil
}

// look judges the lease anew. over: nobody is seen, or there is no lease any more.
func (s *stopper) look() (over bool, err error) {
	i, err := s.r.Inspect(context.Background(), s.out.ID)
	if errors.Is(err, persist.ErrNotExist) {
		return true, nil
	}
	if err == nil {
		s.out.Inspection = i
	}
	return err == nil && !i.remains(), err
}

// clear removes the lease if its end is proved.
func (s *stopper) clear(ctx context.Context) (Stopped, error) {
	if !s.out.Verdict.Removable {
		return s.out, fmt.Errorf("%w: lease %s: %s", ErrUnproved, s.out.ID, s.out.Verdict.Because)
	}
	var err error
	s.out.Cleared, s.out.Left, err = s.r.clear(ctx, s.out.Inspection, verdict.Recover)
	if s.out.Cleared {
		s.r.auditRemoval(ctx, s.out.Inspection)
	}
	if err == nil && !s.out.Cleared {
		if _, gone := s.r.Inspect(ctx, s.out.ID); errors.Is(gone, persist.ErrNotExist) {
			s.out.Cleared = true // another doctor was faster
			return s.out, nil
		}
		err = fmt.Errorf("%w: lease %s changed meanwhile", ErrUnproved, s.out.ID)
	}
	return s.out, err
}
