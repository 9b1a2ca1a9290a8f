package etcd

import (
	"errors"
	"fmt"

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
	// ErrNoMachine: no machine of that id is registered, or its record is not the one that was named.
	ErrNoMachine = errors.New("no such machine on record")
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
		return fmt.Sprintf("machine %s is fenced: its record was removed from the fleet. Nothing was written. "+
			"If it was retired, start it again with a new state home.", e.Ours.MachineID)
	}
	return fmt.Sprintf("machine %s is fenced: its record names boot %.12s…, this process runs in boot %.12s…. "+
		"Nothing was written. %s", e.Ours.MachineID, e.Recorded.BootID, e.Ours.BootID, advice)
}

// Is makes every FencedError an ErrFenced.
func (e *FencedError) Is(target error) bool { return target == ErrFenced }

// refusals are the server's words that it did not, and will not, carry out the request. Everything else (no leader, a
// timeout, a broken connection) may still be carried out.
var refusals = []error{
	rpctypes.ErrNoSpace, rpctypes.ErrRequestTooLarge, rpctypes.ErrTooManyOps, rpctypes.ErrDuplicateKey,
	rpctypes.ErrTooManyRequests, rpctypes.ErrPermissionDenied, rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty,
	rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision, rpctypes.ErrAuthNotEnabled,
	rpctypes.ErrCompacted, rpctypes.ErrFutureRev, rpctypes.ErrCorrupt,
	ErrNoMachine, // this package's own
}

// definite reports whether err says that the request was refused.
func definite(err error) bool {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}
