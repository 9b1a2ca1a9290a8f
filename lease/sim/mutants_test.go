//go:build linux || darwin || freebsd

package sim_test

import (
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/memory"
)

// mutant is a protocol with one mistake.
type mutant struct {
	call   func(*actor, memory.Call) error                                   // of the disk
	store  func(*proc, persist.Store) persist.Store                          // between a registry and its store
	status func(asker, found *proc, asked process.Identity, truly bool) bool // of the process table

	hasty    bool // the owner opens the gate before host-active is written
	trusting bool // the owner takes the gate's death for the end of all
	blind    bool // the gate leaves its note without waiting
}
