package explain

import (
	"containlease/lease"
	"containlease/persist"
)

// Outcome is one row of the table of what is known after an arrow's write.
type Outcome struct {
	Known  string
	Err    error  // nil: the event returns nil
	Name   string // of Err, as a caller spells it
	Memory string
	Next   string // what the caller does
}

// Outcomes are the five things that a write may come to.
var Outcomes = []Outcome{
	{"not on disk, and it can no longer land", nil, "the cause", "stays", "the event may be fired again"},
	{"somebody else's bytes, or no file", lease.ErrChanged, "lease.ErrChanged", "stays; no more arrows", "Resync, or let the doctor judge"},
	{"our exact bytes, durable", nil, "nil", "moves", "go on"},
	{"our bytes are visible, their durability is not proved", persist.ErrNotDurable, "lease.ErrNotDurable", "moves", "the gate stays shut until Resync returns nil; release may be repeated"},
	{"not known: the write may have landed or may still land", persist.ErrUnsettled, "lease.ErrUnsettled", "stays, frozen", "Resync, and nothing else"},
}

// Phase is one step of an arrow's write.
type Phase struct {
	Name, Title string
	What        string
	Crash       string // what a crash here leaves, whoever it hits
}

// Phases are the steps of every write, in order.
var Phases = []Phase{
	{"stage", "staged", "The new bytes are durable in a file that nobody reads.",
		"The lease says what it said. The staged file is swept by a later write or acquire."},
	{"publish", "published", "One atomic call shows the new bytes, if the old ones are still there.",
		"Everybody reads the new state. A power loss may bring the old one back; both are judged safely."},
	{"settle", "settled", "The directory is synced: the publication survives the power.",
		"The lease says the new state, whatever happens."},
	{"move", "memory moved", "The handle takes the new state, and the observer is told.",
		"The lease says the new state, whatever happens."},
}
