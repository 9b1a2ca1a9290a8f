//go:build linux

package main

import "slices"

// call is a system call that a lease's life makes, and what it can fail with beyond what any call can.
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
	table   = []string{"EMFILE"}
	signals = []string{"EINTR"}
)

// calls are all those that one life makes on its home, except what the run-time does for itself.
var calls = []call{
	{"openat", slices.Concat(change, space, table, signals)},
	{"openat2", slices.Concat(change, space, table, signals)},
	{"fstat", inode},
	{"newfstatat", inode},
	{"fstatfs", slices.Concat(inode, signals)},
	{"getdents64", inode},
	{"pread64", slices.Concat(inode, signals)},
	{"pwrite64", slices.Concat(inode, space, signals)},
	{"fallocate", slices.Concat(inode, space, signals)},
	{"fchmod", change},
	{"ftruncate", slices.Concat(inode, signals)},
	{"utimensat", change},
	{"fdatasync", slices.Concat(inode, space, signals)},
	{"fsync", slices.Concat(inode, space, signals)},
	{"linkat", slices.Concat(change, space)},
	{"renameat2", slices.Concat(change, space)},
	{"unlinkat", change},
	{"mkdirat", slices.Concat(change, space)},
	{"flock", []string{"EINTR", "ENOLCK"}},
	{"fcntl", []string{"EINTR", "ENOLCK", "EACCES"}},
	{"close", []string{"EIO", "EINTR"}},
}
