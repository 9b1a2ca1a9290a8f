package file

import "errors"

// What a home or one of its locks may answer. Test with errors.Is.
var (
	// ErrNoHome: there is no home at the path, or it was never completed. Nothing was ever recorded there.
	ErrNoHome = errors.New("there is no state home")
	// ErrUnsafe: every *UnsafeError is one.
	ErrUnsafe = errors.New("the state home is not safe to use")
	// ErrFilesystem: locks and syncs are not known to work on this file system, see AllowAnyFilesystem.
	ErrFilesystem = errors.New("not a file system known to keep locks and synced writes")
	// ErrUnsupported: on this operating system it cannot be proved that a home is private.
	ErrUnsupported = errors.New("no state home on this operating system: private files cannot be proved")
	// ErrHomeReplaced: the path no longer leads to the directory that was opened. Nothing was written beside it.
	ErrHomeReplaced = errors.New("the directory was replaced or removed while in use")
	// ErrNoLockFile: the home has no catalogue lock yet. A reader may go on without; a writer uses Create.
	ErrNoLockFile = errors.New("the home has no lock file")
	// ErrHeld: somebody holds the liveness lock, so its owner is alive.
	ErrHeld = errors.New("the liveness lock is held")
	// ErrLivenessLost: the lock file at the path is not the one that is held, so the lock proves nothing any more.
	ErrLivenessLost = errors.New("the liveness lock was removed or replaced")
	// ErrName: the name is not one of the shapes that a home stores.
	ErrName = errors.New("not a name that a home stores")
)
