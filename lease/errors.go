package lease

import (
	"errors"
	"fmt"
	"strings"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/process"
	"containlease/lease/verdict"
	"containlease/persist"
)

// Sentinels. Test with errors.Is; those of persist, fsm and process that a caller meets are given again here.
var (
	ErrRefused     = fsm.ErrRefused
	ErrNotExist    = persist.ErrNotExist
	ErrChanged     = persist.ErrChanged
	ErrUnsettled   = persist.ErrUnsettled
	ErrNotDurable  = persist.ErrNotDurable
	ErrNoIdentity  = process.ErrNoIdentity
	ErrBusy        = fsm.ErrBusy
	ErrBlocked     = errors.New("the plugin is blocked by a lease") // always a *BlockedError
	ErrHeld        = errors.New("held by a live owner")             // the *BlockedError passes by itself: try again later
	ErrNotActive   = errors.New("the plugin is not enabled with exactly this identity")
	ErrInvalid     = errors.New("invalid lease data")
	ErrLegacy      = errors.New("a v1 lease has no controller")
	ErrNotOurs     = errors.New("another owner drives this lease")
	ErrClosed      = errors.New("the handle is closed")
	ErrLostLock    = errors.New("the lease's liveness lock is not ours any more")
	ErrReadOnly    = errors.New("the home was opened read-only")
	ErrOtherHome   = errors.New("the home belongs to another machine (one that was moved here is adopted)")
	ErrBadArgument = errors.New("the event was given wrong arguments")
	ErrUnproved    = errors.New("its end is not proved") // Stop has ended what it could see, and the lease stays

	// Why an operator's decision is refused, always as a *DecisionError.
	ErrInUse       = errors.New("it is in use")                               // proved to be at work: no word changes that
	ErrOtherDigest = errors.New("it is not the record that the digest names") // or not any more
	ErrNotForThis  = errors.New("this decision is not for it")                // there is another, safer way
	ErrNoReason    = errors.New("a reason is wanted, in your own words")      // it has no word in it; always with ErrInvalid
)

// BlockedError says which lease keeps a plugin from starting. errors.Is(err, ErrBlocked); ErrHeld too where a live owner
// holds it and time alone will free it.
type BlockedError struct {
	Plugin string
	Lease  Inspection // the lease that blocks, with its verdict
	Block  verdict.Block
}

func (e *BlockedError) Error() string {
	i := e.Lease
	var b strings.Builder
	fmt.Fprintf(&b, "plugin %s may not start beside lease %s", e.Plugin, i.ID)
	if i.Lease != nil {
		fmt.Fprintf(&b, " (%s, since %s, owner pid %d)", i.word(), i.Lease.Acquired(), i.Lease.OwnedBy().PID)
	}
	fmt.Fprintf(&b, ": %s: %s", i.Verdict.Outcome, i.Verdict.Because)
	if e.Block == verdict.BlockedExclusive {
		b.WriteString("; one of the two asked to be alone")
	}
	if len(i.Verdict.Missing) > 0 {
		fmt.Fprintf(&b, "; missing: %s", strings.Join(i.Verdict.Missing, ", or "))
	}
	return b.String()
}

// Is answers for ErrBlocked and ErrHeld.
func (e *BlockedError) Is(target error) bool {
	return target == ErrBlocked || target == ErrHeld && e.Block == verdict.BlockedExclusive
}

// DecisionError says why a decision of an operator was refused; nothing was done.
type DecisionError struct {
	Action leasefile.AuditAction
	Lease  Inspection // as judged when it was refused
	Err    error      // ErrInUse, ErrOtherDigest or ErrNotForThis
	Why    string
}

func (e *DecisionError) Error() string {
	return fmt.Sprintf("%s refused, nothing was done: %v: %s; it is about %s", e.Action, e.Err, e.Why, e.Lease.describe())
}

// Next is what to do instead; ok is false where there is nothing. With another digest there is not: nobody has decided about
// the new bytes.
func (e *DecisionError) Next() (n Next, ok bool) {
	return e.Lease.Next, e.Lease.Next.Action != "" && e.Err != ErrOtherDigest
}

func (e *DecisionError) Unwrap() error { return e.Err }
