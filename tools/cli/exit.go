package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"containlease/fsm"
	"containlease/gen/wire"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/persist/etcd"
	"containlease/persist/file"
)

// Exit is one exit code of the program.
type Exit struct {
	Code    int
	Name    string // as in the status file's failure.name
	Meaning string
}

// The exit codes by name.
const (
	exitOK       = 0
	exitUsage    = 64
	exitInvalid  = 65
	exitNotFound = 66
	exitFindings = 69
	exitBug      = 70
	exitIO       = 74
	exitHeld     = 75
	exitBlocked  = 76
	exitRefused  = 77
	exitIdentity = 78
)

// Exits is the published table. Treat it as a constant.
var Exits = []Exit{
	{exitOK, "ok", "done"},
	{exitUsage, "usage", "the command line is wrong, or the command is not for this; nothing was done"},
	{exitInvalid, "invalid-data", "a lease, an identity or a plugin's record is invalid"},
	{exitNotFound, "not-found", "no such home, lease, plugin or file, or not with this digest"},
	{exitFindings, "findings", "doctor: findings remain"},
	{exitBug, "bug", "a mistake in containlease; please report it"},
	{exitIO, "io", "input or output failed, or it is not known whether a write landed"},
	{exitHeld, "held", "held by a live owner, or a lock was not free before --timeout: try again"},
	{exitBlocked, "blocked", "blocked by a lease whose end is not proved, or by a malformed one: run doctor; stop: the end is not proved"},
	{exitRefused, "refused", "permission denied, an unsafe home, or a plugin that is not enabled"},
	{exitIdentity, "no-identity", "processes cannot be identified or contained on this system"},
}

// errUsage marks mistakes on the command line.
var errUsage = errors.New("usage")

// errPanic marks a bug that was caught.
var errPanic = errors.New("bug")

// classes maps what an error is to its code: the first row that matches decides, so the particular comes before the general.
var classes = []struct {
	is   error
	code int
}{
	{errUsage, exitUsage},
	{errPanic, exitBug},
	{lease.ErrHeld, exitHeld},
	{lease.ErrInUse, exitHeld},
	{lease.ErrOtherDigest, exitNotFound},
	{lease.ErrNotForThis, exitUsage},
	{lease.ErrBlocked, exitBlocked},
	{host.ErrUnsafe, exitBlocked},
	{lease.ErrUnproved, exitBlocked},
	{lease.ErrUnsettled, exitIO},
	{etcd.ErrUnanswered, exitIO},
	{etcd.ErrNoSpace, exitIO},
	{etcd.ErrFenced, exitRefused},
	{etcd.ErrDenied, exitRefused},
	{etcd.ErrNoMachine, exitNotFound},
	{etcd.ErrKey, exitNotFound},
	{lease.ErrNotActive, exitRefused},
	{lease.ErrOtherHome, exitRefused},
	{lease.ErrNoIdentity, exitIdentity},
	{file.ErrUnsafe, exitRefused},
	{file.ErrFilesystem, exitRefused},
	{file.ErrNoHome, exitNotFound},
	{lease.ErrReadOnly, exitRefused},
	{lease.ErrNoReason, exitUsage},
	{lease.ErrInvalid, exitInvalid},
	{errAnyDecode, exitInvalid},
	{lease.ErrNotExist, exitNotFound},
	{file.ErrName, exitNotFound},
	{errors.ErrUnsupported, exitIdentity},
	{host.ErrNoGate, exitBug},
	{host.ErrCommand, exitBug},
	{host.ErrScopeClosed, exitBug},
	{host.ErrNeverStarted, exitBug},
	{host.ErrDigest, exitRefused},
	{fsm.ErrRefused, exitBug},
	{lease.ErrBusy, exitBug},
	{lease.ErrBadArgument, exitBug},
	{fs.ErrPermission, exitRefused},
	{fs.ErrNotExist, exitNotFound},
	{syscall.EROFS, exitRefused},
	// Nothing but waiting for a lock is limited by --timeout, so the limit means that somebody else had it.
	{context.DeadlineExceeded, exitHeld},
}

// errAnyDecode stands for every *wire.DecodeError in classes.
var errAnyDecode = errors.New("any decode error")

// codeOf is the one mapping from errors to exit codes.
func codeOf(err error) int {
	var own *ended
	if errors.As(err, &own) {
		return own.code
	}
	for _, c := range classes {
		var decode *wire.DecodeError
		if errors.Is(err, c.is) || c.is == errAnyDecode && errors.As(err, &decode) {
			return c.code
		}
	}
	if err == nil {
		return exitOK
	}
	return exitIO
}

// ExitOf returns the row of Exits with which err ends the program; nil is ok. The generated documents are made from it.
func ExitOf(err error) Exit {
	code := codeOf(err)
	return Exits[slices.IndexFunc(Exits, func(e Exit) bool { return e.Code == code })]
}

// nameOf returns the published name of a code of ours.
func nameOf(code int) string {
	for _, e := range Exits {
		if e.Code == code {
			return e.Name
		}
	}
	return ""
}

// ended ends the program with a code of its own. note is for people; "" says nothing.
type ended struct {
	code int
	note string
}

func (e *ended) Error() string { return e.note }

func usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errUsage, fmt.Errorf(format, args...))
}

// exitTopic is the text of `help exit-codes`.
func exitTopic() string {
	var b strings.Builder
	b.WriteString("Exit codes of containlease. They are part of its interface.\n\n")
	for _, e := range Exits {
		fmt.Fprintf(&b, "  %3d  %-13s %s\n", e.Code, e.Name, e.Meaning)
	}
	b.WriteString(`
run gives the plugin's own status: 0-255, or 128+n where signal n killed it. A plugin that ended
with 0 but whose end could not be proved gives 76, one whose last write is not settled 74. What kept
run from starting the plugin gives one of the codes above, or 128+n where signal n interrupted the
wait; with --failure-exit-code N all of these are N, except for wrong flags, which are always 64.
The file of --status-file tells the plugin's statuses from containlease's.
`)
	return b.String()
}
