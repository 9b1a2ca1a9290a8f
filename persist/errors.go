package persist

import (
	"errors"
	"fmt"
)

// Outcomes of a read or a write. Test with errors.Is. Any other error of a write means: not on the store, and can no
// longer land; it may be tried again.
var (
	// ErrNotExist: there is no record under the key.
	ErrNotExist = errors.New("no such record")
	// ErrExists: a create found a record that is definitely not ours.
	ErrExists = errors.New("the record exists already")
	// ErrChanged: a replace or remove found other bytes than expected, or no record; ours did not land.
	ErrChanged = errors.New("the record was changed or removed by somebody else")
	// ErrUnsettled: the write may have landed, or may still land. Only Attempt.Settle may follow.
	ErrUnsettled = errors.New("the outcome of the write is not known")
	// ErrNotDurable: our bytes are visible, but a power loss may undo them. It wraps ErrUnsettled.
	ErrNotDurable = fmt.Errorf("the write is visible but not proved durable: %w", ErrUnsettled)
)

// Kind says why a stored record cannot be taken.
type Kind string

// Kinds of bad records. They are published: programs may switch on them.
const (
	ForeignName Kind = "foreign-name"  // the name is not one of this store's
	NotRegular  Kind = "not-regular"   // a symbolic link, FIFO, socket, device or directory
	NotPrivate  Kind = "not-private"   // another owner, group or world bits, or more than one link
	TooLarge    Kind = "too-large"     // more than 32 KiB
	Unreadable  Kind = "unreadable"    // the system refused to open or read it
	Unstable    Kind = "never-at-rest" // it changed during every one of a bounded number of reads
)

// RecordError is a record that is there and cannot be taken. errors.Is sees the system's error through it.
type RecordError struct {
	Key    string
	Kind   Kind
	Detail string // what was found, for people
	Err    error  // the system's error, or nil
}

func (e *RecordError) Error() string {
	s := fmt.Sprintf("record %q is %s", e.Key, e.Kind)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *RecordError) Unwrap() error { return e.Err }
