package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"containlease/gen/leasefile"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// What this store answers beside the errors of package persist. Test with errors.Is.
var (
	// ErrFenced: the machine's record is not the one that the store was opened with. Always a *FencedError. Nothing was
	// written.
	ErrFenced = errors.New("the machine's record has moved on")
	// ErrKey: a machine's or lease's id is not a lower-case UUID of version 4.
	ErrKey = errors.New("not a lower-case UUID of version 4")
	// ErrReadOnly: the store was opened with ReadOnly.
	ErrReadOnly = errors.New("the store was opened read-only")
	// ErrCompacted: etcd has given up the revision of a listing or watch before it was read. Start again.
	ErrCompacted = errors.New("etcd has compacted the revision away")
	// ErrDenied: etcd's user may not do this, or is not known. Nothing was written.
	ErrDenied = errors.New("etcd denies it to this user")
	// ErrNoSpace: etcd is full. It takes no new bytes; removals still work. No lease was written; of Open, the machine may
	// have been registered.
	ErrNoSpace = errors.New("etcd is out of space")
	// ErrUnanswered: a question, or the registration, found no answer in time. Of a lease's write that is persist.ErrUnsettled.
	ErrUnanswered = errors.New("etcd does not answer")
	// ErrNoMachine: no machine of that id is registered, or its record is not the one that was named.
	ErrNoMachine = errors.New("no such machine on record")

	// errInDoubt: the server's refusal is not the whole truth, or answers another question. Never definite.
	errInDoubt = errors.New("it may have been carried out all the same")
)

// FencedError says why this process may not write: it belongs to a boot that is over, or another machine uses its name.
type FencedError struct {
	Ours     leasefile.MachineV1
	Recorded *leasefile.MachineV1 // nil: the record was removed, or cannot be read
}

func (e *FencedError) Error() string {
	const advice = "If this process is from before a reboot, end it. If this machine is a clone, or was restored from an image, " +
		"give it a new state home."
	if e.Recorded == nil {
		return fmt.Sprintf("machine %s is fenced: its record was removed from the fleet, or cannot be read. Nothing was written. "+
			"If it was retired, end this process; the next one registers the machine anew, without leases.", e.Ours.MachineID)
	}
	return fmt.Sprintf("machine %s is fenced: its record names boot %.12s…, this process runs in boot %.12s…. "+
		"Nothing was written. %s", e.Ours.MachineID, e.Recorded.BootID, e.Ours.BootID, advice)
}

// Is makes every FencedError an ErrFenced.
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// refusals are the server's words that it will not carry out the request any more and, but for ErrNoSpace (see settleFull),
// did not. Everything else (no leader, a timeout, a broken connection) may still be carried out.
var refusals = []error{
	rpctypes.ErrNoSpace, rpctypes.ErrRequestTooLarge, rpctypes.ErrTooManyOps, rpctypes.ErrDuplicateKey,
	rpctypes.ErrTooManyRequests, rpctypes.ErrPermissionDenied, rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty,
	rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrAuthNotEnabled,
	rpctypes.ErrCompacted, rpctypes.ErrFutureRev, rpctypes.ErrCorrupt,
	ErrNoMachine, // this package's own
}

// definite reports whether err says that the request was refused.
func definite(err error) bool {
	return !errors.Is(err, errInDoubt) && isAny(err, refusals...)
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// explained puts an error of the client into words of this package. Silence may mean much: the client keeps a
// connection's troubles to itself.
func (c *conn) explained(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("%w: make space (compact, defragment, disarm the alarm; see the manual of persist/etcd): %w", ErrNoSpace, err)
	case isAny(err, rpctypes.ErrPermissionDenied, rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty, rpctypes.ErrInvalidAuthToken):
		return fmt.Errorf("%w: user %q at %s: %w", ErrDenied, c.user, strings.Join(c.endpoints, ", "), err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s, within %v; is it running, has it a leader, do the TLS files fit? %w",
			ErrUnanswered, strings.Join(c.endpoints, ", "), c.deadline, err)
	}
	return err
}
