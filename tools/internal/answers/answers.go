// Package answers is the table of the system calls on the way to a proof: who makes them, which answer counts, and what any
// other leads to. The documents print it, and `make crash` has every one of them refused.
package answers

// The processes of an invocation.
const (
	Owner = "owner"
	Gate  = "gate"
	Front = "front"
)

// Answer is a step of one process.
type Answer struct {
	Who       string
	Calls     []string // as strace names them
	For       string
	Counts    string // the answer that counts, and what it proves
	Otherwise string // what every other answer leads to
	Early     bool   // made before any of the plugin's code runs: then the worst is that none ever does
}

// Table is all of them, in the order in which they are made. Treat it as a constant.
var Table = []Answer{
	{Owner, []string{"socketpair", "setsockopt", "fcntl"}, "the control socket", "0: who speaks on it is told by the kernel",
		"ErrGate: nothing was started, and the lease is complete", true},
	{Owner, []string{"mkdirat", "openat2", "fstat", "fstatfs"}, "the control group", "a new, empty one of the unified hierarchy",
		"ErrBoundary; nothing was started", true},
	{Owner, []string{"clone", "clone3", "vfork", "pipe2"}, "the gate", "a pid", "ErrGate; nothing was started", true},
	{Gate, []string{"fstat", "fcntl"}, "its control socket", "a socket that the plugin does not inherit",
		"it ends before its first word: ErrGate, nothing was started", true},
	{Gate, []string{"prctl"}, "that orphans come to it", "1, read back after it was set",
		"it says why and ends: ErrGate, nothing was started", true},
	{Gate, []string{"mount"}, "a /proc of its own in a new PID namespace", "0", "it says why and ends: ErrBoundary, nothing was started", true},
	{Gate, []string{"openat"}, "the process table, held open", "a descriptor, whatever is mounted there later",
		"it says why and ends: ErrGate, nothing was started", true},
	{Gate, []string{"openat2", "fstat", "fstatfs"}, "the control group", "the group that is on record, by inode",
		"it says why and ends: ErrGate, nothing was started", true},
	{Owner, []string{"pidfd_open"}, "which process the gate is", "a descriptor of the pid that answers a challenge",
		"ErrGate: the gate is ended, and never opens", true},
	{Owner, []string{"write"}, "the byte that opens the gate", "all of it was taken",
		"the owner hangs up, and from here on only the gate's word is a proof", false},
	{Gate, []string{"clone", "clone3", "vfork", "pipe2"}, "the plugin, born in its boundary", "a pid",
		"the owner is told that it could not be started", true},
	{Gate, []string{"recvmsg"}, "the owner's words", "a whole frame, one at a time",
		"it is taken for the owner's end: TERM, the grace, KILL", false},
	{Gate, []string{"waitid"}, "to be woken", "none: it proves nothing", "wait4 is asked at each tick", false},
	{Gate, []string{"wait4"}, "whether a child is left", "ECHILD, unless waitid says that there is one: none is left, nor any descendant",
		"it is asked again, fifty times; then the gate says why, ends what it can, and ends without note or last word: unsafe", false},
	{Gate, []string{"getdents64", "openat", "read", "readlinkat", "fstat", "newfstatat"}, "who its children are", "a pid, while it is not reaped",
		"the owner is told what hinders it; the end is proved by wait4 all the same, or not at all", false},
	{Gate, []string{"kill"}, "to end its children", "0, or ESRCH of one that has ended", "the owner is told what hinders it, and it tries again", false},
	{Gate, []string{"openat2", "pread64", "write"}, "to end the control group, and to see it empty", "populated 0, or the group is gone",
		"the gate says why, ends what it can, and ends without note or last word: unsafe", false},
	{Gate, []string{"openat", "openat2", "fstat", "newfstatat", "statx", "fstatfs", "pwrite64", "fallocate", "fchmod", "utimensat", "linkat",
		"renameat2", "unlinkat", "getdents64", "flock", "fcntl", "fdatasync", "fsync", "ftruncate", "read", "pread64"}, "the note beside the lease",
		"it is in its place, whole", "no note: a living owner has the last word all the same, a dead one leaves an unproved end", false},
	{Gate, []string{"write"}, "its words to the owner, the last of which is that nothing is left", "all of it was taken",
		"it hangs up: the owner sees the end of the socket without the last word, and takes the end for unproved", false},
	{Owner, []string{"recvmsg"}, "the gate's words", "the plugin's fate, then that nothing is left, then the end of the socket (no bytes, or ECONNRESET)",
		"anything missing, twice, late, or no word at all is unsafe; an owner that cannot hear hangs up", false},
	{Owner, []string{"write", "shutdown"}, "a signal, or that the plugin shall end", "all of it was taken",
		"the owner hangs up, which the gate takes for the owner's end", false},
	{Owner, []string{"waitid", "wait4", "poll", "ppoll"}, "whether the gate has ended", "its status, or its pidfd is readable: either will do",
		"unsafe after five seconds", false},
	{Owner, []string{"pidfd_send_signal", "kill"}, "to end a gate that was not opened", "none: it proves nothing", "its end is waited for as ever", false},
	{Owner, []string{"openat2", "pread64", "getdents64", "lseek", "unlinkat"}, "to remove the control group", "0, or ENOENT",
		"EBUSY contradicts the gate: unsafe; else the group goes with the lease, or stays with it", false},
	{Front, []string{"fstat", "fcntl", "socketpair", "setsockopt", "clone", "clone3", "vfork", "pipe2"}, "to start the gate", "a pid",
		"it ends with 70: ErrNeverStarted", true},
	{Front, []string{"recvmsg"}, "how the plugin ended", "a whole frame with its status",
		"it ends with 70, and the gate takes that for a request to stop", false},
	{Front, []string{"pidfd_open", "poll", "ppoll"}, "whether the gate has ended", "its pidfd is readable: what is not said five seconds later is not said",
		"none: then only the end of the socket tells", false},
	{Front, []string{"write"}, "a signal for the plugin", "all of it was taken", "it hangs up, which the gate takes for a request to stop", false},
}

// Calls are the names of all calls that who makes; early says whether those made only before the plugin runs count.
func Calls(who string, early bool) (names []string) {
	seen := map[string]bool{}
	for _, a := range Table {
		if a.Who != who || a.Early && !early {
			continue
		}
		for _, c := range a.Calls {
			if !seen[c] {
				names = append(names, c)
			}
			seen[c] = true
		}
	}
	return names
}
