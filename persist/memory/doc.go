// Package memory is a disk in memory that can lose its power, for tests. persist/file works on it as it does on the real
// thing:
//
//	d := memory.NewDisk()
//	p := d.Process()                                    // one simulated process
//	home, err := file.Create("/home", file.On(p))       // its files, locks and descriptors
//	p.Watch(func(c memory.Call) error { ... })          // before each call: count it, fail it, look at the disk, kill p
//	p.Kill()                                            // its descriptors and locks are gone, what it wrote is visible
//	for after := range d.Crashes() { ... }              // every disk that a power loss may leave at this moment
//
// # What survives
//
// A sync settles what it is asked for and nothing else: of a file its content, of a directory its names. Of what is not
// settled a power loss keeps any part:
//
//	content of a file       none of it, all, its first half over what was there, or zeros in its place
//	names in a directory    any subset of the changes; a rename within it is one change
//	a move to another one   the new name, the old name, or both: never none, as on every file system that orders its changes
//
// That is worse than a journaling file system (which keeps changes in their order), so what holds here holds there. Of more than
// [Subsets] changes in one directory the older ones are kept or lost together. A nameless file is gone, and so is everything that
// no directory leads to. Locks, descriptors and times do not survive.
//
// What was synced of a nameless file is settled for no name that it gets later: until it is synced once more, the name may have any part
// of it, or no bytes. That is btrfs before Linux 6.18.
//
// A sync that failed has forgotten what it was to settle, and later syncs do not make up for it: of a file never, of a
// directory until it is changed again. That is how systems behave that report a failed write once.
//
// Times are a counter of changes, inode numbers are never reused, descriptors neither. There is no limit of space, and there are
// no links, FIFOs or other users: hostile files are for the real system.
package memory
