package process

import (
	"errors"
	"fmt"
)

// Sentinels of this package, for errors.Is. What the operating system said is
// wrapped beside them.
var (
	// ErrNoIdentity: a process cannot be named so that it is told from every other.
	ErrNoIdentity = errors.New("process identity cannot be established")
	// ErrNotFound: there is no such process, or it has ended.
	ErrNotFound = errors.New("no such process")
	// ErrUnsupported: this operating system has no way to do it. It is an
	// errors.ErrUnsupported.
	ErrUnsupported = fmt.Errorf("holding on to a process: %w", errors.ErrUnsupported)
)

func noIdentity(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrNoIdentity, fmt.Errorf(format, args...))
}
