//go:build linux

package main

import "slices"

// call is a system call that a life makes, and what it can fail with beyond what any call can.
type call struct {
	name   string
	errnos []string
}

// The families of failures. What a call never answers on any Linux file system is not injected: nobody promises anything
// for it.
var (
	inode   = []string{"EIO", "EACCES"}
	space   = []string{"ENOSPC", "EDQUOT"}
	change  = []string{"EIO", "EACCES", "EROFS"}
	content = []string{"EIO", "EROFS", "ENOSPC", "EDQUOT", "EINTR"} // of what writes bytes, or makes them durable
	table   = []string{"EMFILE"}
	signals = []string{"EINTR"}
)

// calls are all those of which a life can lose something. A census of each life holds this list and the next against what is
// really called. What owner and gate of a run call on the way to a proof stands in tools/internal/answers, and is refused beside a
// living child.
var calls = []call{
	{"openat", slices.Concat(change, space, table, signals)},
	{"openat2", slices.Concat(change, space, table, signals)},
	{"pidfd_open", table},
	{"kill", []string{"EPERM"}},               // with no signal: whether a process is there
	{"ioctl", []string{"EINVAL", "EPERM"}},    // the id of the PID namespace
	{"clock_gettime", []string{"EPERM"}},      // the time of the acquire, in ticks
	{"statfs", slices.Concat(inode, signals)}, // whether a directory is of the unified hierarchy
	{"fstat", inode},
	{"newfstatat", inode},
	{"statx", inode},
	{"readlinkat", inode},
	{"fstatfs", slices.Concat(inode, signals)},
	{"getdents64", inode},
	{"read", slices.Concat(inode, signals)},
	{"pread64", slices.Concat(inode, signals)},
	{"write", content}, // the audit log: what is told to the sweep is told by writev
	{"pwrite64", content},
	{"fallocate", content},
	{"fchmod", slices.Concat(change, space)},
	{"fchmodat", slices.Concat(change, space)},
	{"ftruncate", content},
	{"utimensat", slices.Concat(change, space)},
	{"fdatasync", content},
	{"fsync", content},
	{"linkat", slices.Concat(change, space)},
	{"renameat2", slices.Concat(change, space)},
	{"unlinkat", slices.Concat(change, space)},
	{"mkdirat", slices.Concat(change, space)},
	{"flock", []string{"EINTR", "ENOLCK"}},
	{"fcntl", []string{"EINTR", "ENOLCK", "EACCES"}},
	{"close", []string{"EIO", "EINTR"}},
}

// harmless are the calls that cannot matter, and why. They touch no file of a home, so that being killed at one of them is
// being killed between two of the others.
var harmless = map[string]string{
	"access":            "the loader asks for its preload file",
	"arch_prctl":        "the loader sets up its thread",
	"brk":               "memory of the process",
	"capget":            "whether /proc hides nobody from us; not to know is to be told by the mount",
	"clone":             "the run-time starts a thread; the hosts here were started before",
	"clone3":            "the run-time starts a thread",
	"epoll_create1":     "the run-time waits for descriptors",
	"epoll_ctl":         "the run-time waits for descriptors",
	"epoll_pwait":       "the run-time waits for descriptors",
	"eventfd2":          "the run-time wakes itself",
	"execve":            "the start of the victim itself",
	"exit":              "the end of a thread",
	"exit_group":        "the end of the victim itself",
	"futex":             "threads of the run-time wait for each other",
	"getegid":           "a number of the process that cannot fail",
	"geteuid":           "a number of the process that cannot fail",
	"getgid":            "a number of the process that cannot fail",
	"getuid":            "a number of the process that cannot fail",
	"getpgid":           "the victim says where its life begins",
	"getpid":            "a number of the process that cannot fail",
	"gettid":            "a number of the thread that cannot fail",
	"getrandom":         "lease ids and hash seeds; it cannot fail once the system is up",
	"madvise":           "memory of the process",
	"mmap":              "memory of the process",
	"mprotect":          "memory of the process",
	"munmap":            "memory of the process",
	"nanosleep":         "the run-time's monitor and the back-off of a lock",
	"ppoll":             "whether a process that is pinned has ended; pidfd_open before it is swept",
	"prctl":             "the run-time names its memory",
	"prlimit64":         "the run-time raises its own limit",
	"restart_syscall":   "a sleep goes on",
	"rseq":              "a thread is set up",
	"rt_sigaction":      "the run-time sets up signals",
	"rt_sigprocmask":    "the run-time sets up signals",
	"rt_sigreturn":      "the run-time ends a signal",
	"sched_getaffinity": "the run-time counts processors",
	"sched_yield":       "the run-time gives way",
	"set_robust_list":   "a thread is set up",
	"set_tid_address":   "a thread is set up",
	"sigaltstack":       "the run-time sets up signals",
	"tgkill":            "the run-time preempts a thread",
	"timer_create":      "the run-time measures itself",
	"writev":            "the victim tells the sweep what it does",
}
