package cgroup_test

import (
	"fmt"

	"containlease/lease/cgroup"
)

// A place that cannot be looked at proves nothing.
func ExampleLook() {
	state, _ := cgroup.Look(cgroup.Place{Path: "/nowhere/containlease-x", Inode: 1, ParentInode: 2})
	fmt.Println(state == cgroup.Unknown)
	// Output: true
}
