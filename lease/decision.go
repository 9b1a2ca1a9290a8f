package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"containlease/gen/leasefile"
	"containlease/lease/verdict"
	"containlease/persist"
	"containlease/persist/file"
)

// describe names a record with all that is known of it.
func (i Inspection) describe() string {
	switch {
	case i.Lease != nil:
		return fmt.Sprintf("lease %s of plugin %s (%s, digest %s), %s: %s", i.ID, i.Plugin, i.word(), i.Digest,
			i.Verdict.Outcome, i.Verdict.Because)
	case i.Verdict.Outcome != "":
		return fmt.Sprintf("%s (digest %s), %s: %s", i.ID, i.digestWord(), i.Verdict.Outcome, i.Verdict.Because)
	}
	return i.ID
}

// digestWord is the record's digest as a person types it, "none" where its bytes cannot be read.
func (i Inspection) digestWord() string {
	if i.Digest == (persist.Digest{}) {
		return "none"
	}
	return i.Digest.String()
}

// objection is what stands in the way of a decision: ErrInUse or ErrNotForThis, and why.
type objection struct {
	kind error
	why  string
}

// decision is one act of an operator on one record: whether it may be, and what it is.
type decision struct {
	action  leasefile.AuditAction
	note    string                      // follows the reason in the audit
	objects func(Inspection) *objection // nil where it may be
	// clears makes room for the act, under both locks, and says so where something is in the way after all; nil: there is
	// nothing to make room for. acts is called after it. settle makes the act durable, and is called without the catalogue lock.
	clears func(Inspection) error
	acts   func(ctx context.Context, i Inspection) (settle func(context.Context) error, err error)
}

// decide carries a decision out: judged, and judged again from scratch under the catalogue lock and the record's liveness lock.
// Only when that last look has passed is it written down, durably, and then done: a line in the audit says what was about to be
// done, and nobody was in the way. The error says whether it was.
func (r *Registry) decide(ctx context.Context, name string, digest persist.Digest, reason string, d decision) (Inspection, error) {
	if r.opt.readOnly {
		return Inspection{}, fmt.Errorf("%w: %s", ErrReadOnly, r.home.Dir())
	}
	if err := checkReason(reason); err != nil {
		return Inspection{}, err
	}
	i, err := r.find(ctx, name, r.home.Probe)
	if err == nil {
		err = d.permits(i, digest)
	}
	if err != nil {
		return i, err
	}
	held, settle, err := r.act(ctx, i, d, reason)
	if err != nil {
		return i, err
	}
	err = settle(context.WithoutCancel(ctx))
	if err == nil {
		r.tell(Observation{Kind: Decided, Lease: i.ID, Plugin: i.Plugin, From: i.State, Detail: string(d.action) + ": " + reason})
	}
	r.letGo(held, i.ID, err == nil)
	return i, err
}

// checkReason wants words: what a program prints for its user to fill in is none.
func checkReason(reason string) error {
	if strings.IndexFunc(reason, unicode.IsLetter) < 0 {
		return fmt.Errorf("%w: %w, not %q: what was looked at, and by whom", ErrInvalid, ErrNoReason, reason)
	}
	return nil
}

// letGo gives a seized lock back, and with it what lay beside a lease that is gone. What cannot be removed is swept by the next
// acquire.
func (r *Registry) letGo(held *file.Liveness, id string, gone bool) {
	var err error
	switch {
	case held == nil:
	case gone:
		err = held.Retire()
	default:
		err = held.Close()
	}
	if err != nil {
		r.tell(Observation{Kind: Noted, Lease: id, Detail: "the owner's files are left for the next acquire to sweep", Err: err})
	}
}

// act takes both locks, judges again, writes down and acts. An error means that nothing was done. held is nil where there is no
// lock. The line is synced under the catalogue lock, as no operation of an invocation does: a decision is rare, is made by hand,
// and must not be on record before the look that nothing can come after.
func (r *Registry) act(ctx context.Context, i Inspection, d decision, reason string) (held *file.Liveness, settle func(context.Context) error, err error) {
	err = r.alone(ctx, func() (err error) {
		probe := r.home.Probe
		if !i.Foreign {
			held, err = r.home.Seize(i.ID)
			switch {
			case err == nil:
				probe = func(string) (file.Holding, error) { return file.Free, nil }
			case errors.Is(err, file.ErrHeld):
				return d.refusal(i, ErrInUse, "somebody holds its liveness lock")
			case !errors.Is(err, persist.ErrNotExist):
				return err
			}
		}
		again, err := r.find(ctx, i.ID, probe)
		if err == nil {
			err = d.permits(again, i.Digest)
		}
		if err == nil && d.clears != nil {
			err = d.clears(again)
		}
		if err == nil {
			err = r.auditSoon(ctx, lineAbout(d.action, i, reason+d.note))
		}
		if err == nil {
			settle, err = d.acts(ctx, again)
		}
		return err
	})
	if err != nil && held != nil {
		err, held = errors.Join(err, held.Close()), nil
	}
	return held, settle, err
}

// permits says whether the decision may be carried out on what was found, and whether that is what was decided about.
func (d decision) permits(i Inspection, digest persist.Digest) error {
	if i.Digest != digest {
		return d.refusal(i, ErrOtherDigest, "it was changed since, or another one was meant: look at it again, with show, and decide again")
	}
	if o := d.objects(i); o != nil {
		return d.refusal(i, o.kind, o.why)
	}
	return nil
}

func (d decision) refusal(i Inspection, kind error, why string) error {
	return &DecisionError{Action: d.action, Lease: i, Err: kind, Why: why}
}

// find judges the record that List shows under a name, a foreign one too, as everybody does, with examine; and asks for the lock of
// one that is no lease as well.
func (r *Registry) find(ctx context.Context, name string, probe probe) (Inspection, error) {
	e, err := r.read(ctx, name)
	if errors.Is(err, file.ErrName) {
		e, err = r.stranger(ctx, name)
	}
	if err != nil {
		return Inspection{}, fmt.Errorf("%s in %s: %w", name, r.home.Dir(), err)
	}
	i, there := r.examine(ctx, r.look(), e, probe)
	if !there {
		return Inspection{}, fmt.Errorf("%s in %s: %w", name, r.home.Dir(), persist.ErrNotExist)
	}
	if i.Lease == nil && !i.Foreign {
		i.Facts.Lock = lockFact(probe(i.ID))
	}
	return i, nil
}

// stranger finds a record whose name is no lease's.
func (r *Registry) stranger(ctx context.Context, name string) (persist.Entry, error) {
	for e, err := range r.store.List(ctx) {
		if err != nil || e.Key == name {
			return e, err
		}
	}
	return persist.Entry{}, persist.ErrNotExist
}

// atWork says why a lease may not be cleared on anybody's word: something of it is proved to be alive. Each sign is enough by
// itself, from wherever it is seen.
func atWork(i Inspection) *objection {
	f := i.Facts
	switch {
	case f.Lock == verdict.LockHeld:
		return &objection{ErrInUse, "somebody holds its liveness lock"}
	case i.Verdict.Outcome == verdict.Active:
		return &objection{ErrInUse, i.Verdict.Because}
	case f.Owner == verdict.Live:
		return &objection{ErrInUse, fmt.Sprintf("its owner, pid %s, is alive", i.ownerWord())}
	// Only another boot, and a proved one, makes a stranger of who is in the group.
	case f.HostRecorded && f.Host == verdict.Live, f.BoundaryInhabited && (f.OwnerBootCurrent || !f.BootReliable):
		return &objection{ErrInUse, "alive: " + i.Life.String()}
	}
	return nil
}
