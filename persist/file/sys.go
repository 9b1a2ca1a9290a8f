package file

import "containlease/persist/internal/disk"

// The seam, in this package's words. A home lives on the operating system, or on what On gives it.
type (
	system     = disk.System
	access     = disk.Access
	renaming   = disk.Renaming
	locking    = disk.Locking
	filesystem = disk.Filesystem
	inode      = disk.Inode
	info       = disk.Info
)

const (
	reading, writing, appending = disk.Reading, disk.Writing, disk.Appending
	over, exclusive, exchange   = disk.Over, disk.Exclusive, disk.Exchange

	lockShared, lockExclusive, unlock = disk.LockShared, disk.LockExclusive, disk.Unlock

	errBusy = disk.ErrBusy
)
