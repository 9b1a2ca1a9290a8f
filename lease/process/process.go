// Package process says which process is which, and whether it is still that
// one and alive.
//
// A process id is reused, a name is shared and a wall clock moves, so a process
// is named here by three things that none of these can forge by accident:
//
//   - its pid, the number by which the kernel finds it;
//   - the boot during which it lives, so that nothing survives a reboot;
//   - its start, in the kernel's own ticks since boot.
//
// Two processes can share all three when a pid is reused within one tick (10
// ms). Where the kernel offers it (Linux 6.9), the inode of the process's pidfd
// is never given twice within a boot, and decides alone: record it beside the
// [Identity] and hand it back to [Inspector.Status].
//
// Status has three values, and [Unknown] is the one to expect wherever proof is
// missing: another user's process under hidepid, a /proc of another PID
// namespace, a boot id that somebody mounted over. [Dead] is only ever said of
// what the kernel itself has shown to be gone. Pids and ticks are numbers of one
// PID and one time namespace, of one machine: compare [Namespaces] and the
// machine before asking, for this package cannot know where an identity was
// written.
//
// Start with [New]; [Inspector.Self] names the caller, [Inspector.Lookup]
// somebody else. [OpenPidfd] holds on to a process, to wait for it or to signal
// it without ever hitting a stranger.
package process

// Process is a process as seen from here.
type Process struct {
	Identity
	// Inode is the process's inode on pidfs, unique within a boot; 0 where this
	// is not known (the kernel has no pidfs).
	Inode uint64
}

// Namespaces are the namespaces that give the caller's numbers their meaning, as
// the inode numbers of /proc/self/ns/*; 0 where one is not known. Comparable.
type Namespaces struct {
	PID    uint64 // which process a pid means
	Time   uint64 // from when start ticks are counted
	Cgroup uint64 // where cgroup paths begin
}

// Inspector answers questions about the processes of this machine. It takes
// nothing, changes nothing and keeps nothing: each answer is observed anew. Safe
// for concurrent use.
type Inspector interface {
	// Self names the calling process. It fails with ErrNoIdentity, and the reason
	// that a person can act on, where identity cannot be established.
	Self() (Process, error)

	// Lookup names a running process. It fails with ErrNotFound where it is proved
	// that there is none (a zombie has ended), with ErrNoIdentity where there may
	// be one that cannot be named for certain.
	Lookup(pid int64) (Process, error)

	// Status tells whether the process of id still runs, with the fact behind the
	// answer in a few words for people. inode is the recorded pidfs inode, 0 where
	// none was. Dead covers "a different process has this pid now". The caller has
	// made sure that id was written on this machine and, if during this boot, in
	// the caller's PID and time namespaces.
	Status(id Identity, inode uint64) (Status, string)

	// Boot returns the boot id of this machine, as in Identity. It fails with
	// ErrNoIdentity where the kernel's own answer cannot be told from a forged one.
	Boot() (bootID string, err error)

	// Carriers returns the processes that were started with a variable in their environment that is not empty, and its value, by
	// pid. It shows whom it can: processes of others, whoever has written over its environment, and one that lets nobody look
	// at its memory for a second may be missing.
	Carriers(variable string) map[int64]string

	// Namespaces returns those of the caller. It fails with ErrNoIdentity where
	// /proc is not to be trusted.
	Namespaces() (Namespaces, error)
}
