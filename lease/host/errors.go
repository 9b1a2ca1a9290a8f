package host

import (
	"errors"
	"fmt"
)

// Sentinels. Test with errors.Is.
var (
	// ErrUnsafe: the end of the invocation could not be proved; the lease is cleanup-unsafe, or could not even be written so.
	ErrUnsafe = errors.New("the end of the invocation could not be proved")
	// ErrNoGate: this program's main does not begin with host.GateMain, so it cannot serve as its own gate.
	ErrNoGate = errors.New("no gate: call host.GateMain first thing in main, or give host.WithGate")
	// ErrUnsupported: this operating system offers nothing to prove the end with. It is an errors.ErrUnsupported.
	ErrUnsupported = fmt.Errorf("running a plugin under a lease: %w", errors.ErrUnsupported)
	// ErrBoundary: the boundary that was asked for is not possible here; the text says why. It is an errors.ErrUnsupported.
	ErrBoundary = fmt.Errorf("no such boundary here: %w", errors.ErrUnsupported)
	// ErrUnproved: the end within this boundary cannot be proved, and that was not accepted. It is an errors.ErrUnsupported.
	ErrUnproved = fmt.Errorf("process-group proves nothing after a crash: accept that (--accept-unproved, host.AcceptUnproved), "+
		"or ask for auto: %w", errors.ErrUnsupported)
	// ErrCommand: the *exec.Cmd asks for what the gate cannot pass on, or was used already.
	ErrCommand = errors.New("this command cannot be run under a lease")
	// ErrDigest: the plugin's file is not the one whose digest WithSHA256 gave; nothing was started.
	ErrDigest = errors.New("this is not the expected program")
	// ErrNeverStarted: a prepared command was not started, or its front was killed before it had a gate; none of the plugin's code ran.
	ErrNeverStarted = errors.New("the prepared command never started")
	// ErrScopeClosed: a cleanup was registered after Scope.Close began; it was not run, and nothing waits for it.
	ErrScopeClosed = errors.New("the cleanup scope is closed")
	// ErrGate: the gate did not behave; nothing of the plugin was started.
	ErrGate = errors.New("the gate failed")
)

// errUngreeted: the other side was gone before a gate's first word.
var errUngreeted = errors.New("it ended before its first word (main has to begin with host.GateMain, before flags and all else, " +
	"and a program that was started through the dynamic loader cannot be its own gate)")

// StartError says that the plugin could not be executed: none of its code ran. It wraps the system's error.
type StartError struct {
	Path string
	Err  error
}

func (e *StartError) Error() string { return fmt.Sprintf("cannot start %s: %v", e.Path, e.Err) }

func (e *StartError) Unwrap() error { return e.Err }
