package cgroup

import "errors"

// Sentinels. Test with errors.Is.
var (
	// ErrUnavailable: no group can be made here; the text says why.
	ErrUnavailable = errors.New("no control group can be made")
	// ErrOccupied: the kernel refuses to remove a group, because a process is in it.
	ErrOccupied = errors.New("a process is in the control group")
)

// Prefix begins the name of every group that is made for a lease; the lease's id follows.
const Prefix = "containlease-"

// Place says which group is meant, for good: an inode of the hierarchy is not given twice within a boot.
type Place struct {
	Path        string // the group's directory, absolute
	Inode       uint64 // of that directory
	ParentInode uint64 // of the directory that it lies in
}

// State is what can be told of the group of a Place. The zero value is Unknown.
type State int

// The states.
const (
	Unknown   State = iota // it is not certain that this is the hierarchy that the group was made in
	Populated              // there is a process in it, or in a group below
	Vacant                 // it is there, and no process in it or below
	Gone                   // it is removed, which the kernel does only without a process in it
)

func (s State) String() string { return [...]string{"unknown", "populated", "vacant", "gone"}[s] }
