package fsm

import (
	"errors"
	"fmt"
)

// Class says why a pair of state and event is refused. The set is closed and published.
type Class string

// The classes of refusals.
const (
	OutOfOrder           Class = "out-of-order"
	HostAdmissionChanged Class = "host-admission-changed"
	CompleteAfterUnsafe  Class = "complete-after-unsafe"
	UnsafeAfterComplete  Class = "unsafe-after-complete"
	NotComplete          Class = "not-complete"
)

// Classes maps every class to what its receiver should do.
var Classes = map[Class]string{
	OutOfOrder:           "fire the events in the order of the lifecycle; nothing was changed",
	HostAdmissionChanged: "never open the gate of a host that was not admitted: stop it, then cleanupComplete or cleanupUnsafe",
	CompleteAfterUnsafe:  "an unsafe lease is cleared only by proof: run `containlease doctor`",
	UnsafeAfterComplete:  "completion was already proved and recorded: only release may follow",
	NotComplete:          "prove that every process is gone and fire cleanupComplete first",
}

// Sentinels. Test with errors.Is.
var (
	// ErrRefused: the lifecycle does not allow the event here. It is always a *TransitionError.
	ErrRefused = errors.New("the lifecycle refuses the event")
	// ErrBusy: the machine is inside a transition, perhaps further up the very call stack. Nothing was changed.
	ErrBusy = errors.New("the machine is inside a transition")
)

// TransitionError is a refused event: nothing was changed, in memory or on disk. errors.Is(err, ErrRefused).
type TransitionError struct {
	Lease  string // the lease's id, as given to New
	State  State
	Event  Event
	Class  Class
	Detail string // what was wrong beyond the pair of state and event; may be empty
}

func (e *TransitionError) Error() string {
	s := fmt.Sprintf("lease %s: %s is refused in state %s (%s)", e.Lease, e.Event, e.State, e.Class)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s + "; " + Classes[e.Class]
}

// Is makes every refusal an ErrRefused.
func (e *TransitionError) Is(target error) bool { return target == ErrRefused }

// Refusal returns the class with which ev is refused in s; ok is false for an arrow or a repeat.
func Refusal(s State, ev Event) (c Class, ok bool) {
	if _, arrow := Find(s, ev); arrow || IsNoOp(s, ev) {
		return "", false
	}
	switch {
	case s == StateReleased || s == StateAbsent:
		return OutOfOrder, true
	case ev == HostStarted:
		return HostAdmissionChanged, true
	case ev == CleanupComplete && s == StateCleanupUnsafe:
		return CompleteAfterUnsafe, true
	case ev == CleanupUnsafe && s == StateCleanupComplete:
		return UnsafeAfterComplete, true
	case ev == Release:
		return NotComplete, true
	default:
		return OutOfOrder, true
	}
}
