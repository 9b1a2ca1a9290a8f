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
//
// The number of a namespace comes back once the namespace has ended. What does
// not come back stands beside the PID namespace's: the kernel's id of it (Linux
// 6.18), and its init, by pidfs inode (6.9) and start; "" and 0 where not known.
type Namespaces struct {
	PID    uint64 // which process a pid means
	Time   uint64 // from when start ticks are counted
	Cgroup uint64 // where cgroup paths begin

	PIDID       uint64
	InitInode   uint64
	InitStartID string
}

// Carrier is a process with a variable in its environment.
type Carrier struct {
	Process
	Value string
}

// Unseen is a process that let nobody look at its environment: another user's,
// or one that answered oddly. Start is in ticks since boot, as in [Inspector.Clock];
// 0 where not even that is known.
type Unseen struct {
	PID   int64
	Start uint64
}

// Census is what one look at every process shows. Who is neither a carrier nor
// unseen was looked at and does not have the variable.
type Census struct {
	Carriers []Carrier // ordered by pid
	Unseen   []Unseen  // ordered by pid
	Err      error     // not everybody was listed, so that nobody is absent; nil: everybody was

	inodes map[uint64]int64
}

// PIDOf returns the process with a pidfs inode, 0 where none was seen.
func (c Census) PIDOf(inode uint64) int64 { return c.inodes[inode] }

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

	// Hold takes hold of the process of id, as Status would call it Live, for as long as the caller does not close the Pidfd:
	// what is signalled by it is never another. It fails with ErrNotFound where the process has ended or is another, and with
	// ErrNoIdentity where that cannot be told.
	Hold(id Identity, inode uint64) (*Pidfd, error)
	// Boot returns the boot id of this machine, as in Identity. It fails with
	// ErrNoIdentity where the kernel's own answer cannot be told from a forged one.
	Boot() (bootID string, err error)

	// Look looks at every process that the caller's /proc shows, and returns those that were started with a variable in their
	// environment that is not empty. Who has written over its environment, or was started without it, is not seen by it.
	Look(variable string) Census
	// Clock returns the time since boot in the ticks and the time namespace in which starts are counted: who started before
	// it has a smaller start. 0 where this is not known.
	Clock() uint64
	// NamespaceEnded reports whether the kernel proves that a PID namespace of this boot is no more, by its id and its
	// number: then every process in it, and in those below, has ended. false: it is there, or nobody can tell.
	NamespaceEnded(id, number uint64) bool
	// Namespaces returns those of the caller. It fails with ErrNoIdentity where
	// /proc is not to be trusted.
	Namespaces() (Namespaces, error)
}
