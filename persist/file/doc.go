// Package file keeps leases as files, in a state home that is this user's alone.
//
//	<home>/lock                  the catalogue lock: one flock, never removed          [Home.Lock]
//	<home>/leases/<id>.json      the records, under compare-and-swap                   [Home.Store]
//	<home>/leases/.<id>.spare    space that a record has already, for its next content
//	<home>/owners/<id>.lock      the liveness lock of a lease's owner                  [Home.Claim], [Home.Probe]
//	<home>/owners/<id>.json …    small records beside the leases                       [Home.ReadRecord]
//	<home>/audit.jsonl           one line for everything done by hand                  [Home.Append]
//
// [Create] opens a home for writing and makes what is missing; [Open] makes nothing. Both refuse directories that are
// not exactly 0700 and ours. Nothing here knows what a lease says: to this package it is bytes.
//
// # Writing a record
//
// Every write is staged, published and settled, and takes two syncs (a removal one); fewer would lose what was
// acknowledged, more would be waste.
//
//	         stage, no lock                        publish, under the catalogue lock    settle
//	create   .<id>.next, fdatasync                 rename to the free name              fsync of leases/
//	replace  overwrite the spare, fdatasync        compare the digest, exchange names   fsync of leases/
//	remove                                         compare the digest, unlink           fsync of leases/
//
// A new file is made without a name, so that it is whole and owned when it gets one, but it is synced only under a name: what was
// synced of a nameless file is lost with the power on btrfs before Linux 6.18.
//
// The record and its spare take turns. Both have the space of the longest lease from the start, so a lease that was once
// recorded can go on to its end on a full disk. An exchange cannot bring a record back that somebody removed. Until an
// exchange is settled a power loss may undo it, so the spare is not overwritten before; then, and where names cannot be
// exchanged or the file system never writes in place, the content goes to a new file, .<id>.next, and is renamed.
// Both stay open for the next replacement, which looks at their names before it believes them.
//
// A sync that failed is not repeated on the same file, since the system tells of a failure once and forgets the data:
// the write is [persist.ErrNotDurable], and [persist.Attempt.Settle] writes the same bytes again elsewhere. A
// publication that failed is looked up by inode: a call may fail and have happened.
//
// # Reading a record
//
// A reader takes no lock. What it opened may be swapped out and overwritten under its hands, so it believes what it saw,
// content or defect, only if the name still is that file, untouched, afterwards; else it opens the name again.
//
// # Locks
//
// The catalogue lock orders processes and is held for microseconds. Who does not get it asks again for a while, and then
// stands in the kernel's queue, where nobody is passed over. The liveness lock is held as long as its owner lives,
// and is the proof of that: it is born held, and a probe takes nothing (Linux: an open file description lock and
// F_OFD_GETLK; elsewhere a flock). Both are given back by an unlock before the close, because a child between fork and
// exec still has the descriptor. Order: catalogue, then liveness.
//
// What a crash leaves is named after the lease that it belongs to. [Home.Sweep] removes it once that lease is gone and
// nobody holds its liveness lock; never by age.
package file
