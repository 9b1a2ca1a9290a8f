package cgroup

import (
	"errors"
	"strings"
)

// Sentinels. Test with errors.Is.
var (
	// ErrUnavailable: no group can be made here; the text says why.
	ErrUnavailable = errors.New("no control group can be made")
	// ErrOccupied: the kernel refuses to remove a group, because a process is in it.
	ErrOccupied = errors.New("a process is in the control group")
	// ErrGone: the group was removed, which the kernel does only without a process in it.
	ErrGone = errors.New("the control group is gone")
)

// Prefix begins the name of every group that is made for a lease; the lease's id follows.
const Prefix = "containlease-"

// trialPrefix follows it in the names that Try gives, and then 26 letters of rand.Text.
const trialPrefix = "try-"

// Place says which group is meant, for good: an inode of the hierarchy is not given twice within a
// boot. It is plain data.
type Place struct {
	Path        string // the group's directory, absolute
	Inode       uint64 // of that directory
	ParentInode uint64 // of the directory that it lies in
	// Chain is the inodes from the root of the mounted hierarchy down to the group, in decimal, joined
	// by "/". With it the group is known to be gone also where its parent is. "": not known.
	Chain string
}

// Lease returns the id of the lease that the group was made for, by its name; "" for any other.
func (p Place) Lease() string {
	id, _ := made(p.Path[strings.LastIndexByte(p.Path, '/')+1:])
	return id
}

// made reports whether a name is one that a version of ours gives, and for which lease: "" for a
// trial. Nothing that a person would choose is such a name.
func made(name string) (id string, ours bool) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	rest, ok := strings.CutPrefix(name, Prefix)
	if text, trial := strings.CutPrefix(rest, trialPrefix); ok && trial {
		return "", len(text) == 26 && strings.Trim(text, letters) == ""
	}
	if !ok || !isUUID4(rest) {
		return "", false
	}
	return rest, true
}

func isUUID4(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 || strings.Trim(strings.Join(parts, ""), "0123456789abcdef") != "" {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if len(parts[i]) != n {
			return false
		}
	}
	return parts[2][0] == '4' && strings.ContainsRune("89ab", rune(parts[3][0]))
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

// Scope is where Litter looks.
type Scope int

// The scopes.
const (
	InOwn      Scope = iota // in the caller's own group, not below
	Everywhere              // in all of the hierarchy that is mounted
)
