package fsm

// State is where an invocation stands. The five that a lease file can hold are spelled as in its
// containment.status; Absent and Released are the two ways of having no file.
type State string

// The states. Absent before acquire, Released after release; between them the file says the same word.
const (
	StateAbsent          State = "absent"
	StateParentOwned     State = "parent-owned"
	StateHostStarting    State = "host-starting"
	StateHostActive      State = "host-active"
	StateCleanupComplete State = "cleanup-complete"
	StateCleanupUnsafe   State = "cleanup-unsafe"
	StateReleased        State = "released"
)

// States lists every state, in the order of a life.
var States = []State{
	StateAbsent, StateParentOwned, StateHostStarting, StateHostActive,
	StateCleanupComplete, StateCleanupUnsafe, StateReleased,
}

// Event is what an owner asks for.
type Event string

// The events.
const (
	Acquire         Event = "acquire"
	HostStarting    Event = "hostStarting"
	HostStarted     Event = "hostStarted"
	CleanupComplete Event = "cleanupComplete"
	CleanupUnsafe   Event = "cleanupUnsafe"
	Release         Event = "release"
)

// Events lists every event, in the order of a life.
var Events = []Event{Acquire, HostStarting, HostStarted, CleanupComplete, CleanupUnsafe, Release}

// Write is what an arrow does to the lease file, as a compare-and-swap.
type Write string

// The three writes.
const (
	WriteCreate  Write = "create"
	WriteReplace Write = "replace"
	WriteRemove  Write = "remove"
)

// HostRule is what an arrow asks of the host's identity, and what it does with the one on record.
type HostRule string

// The host rules.
const (
	HostNone   HostRule = "none"   // no host yet
	HostRecord HostRule = "record" // the event brings the host's exact identity; it is put on record
	HostSame   HostRule = "same"   // the event brings a host that must equal the one on record
	HostKeep   HostRule = "keep"   // what is on record stays, a host or none
)

// Row is one arrow.
type Row struct {
	Event Event
	From  State
	To    State
	Write Write
	Host  HostRule
	Doc   string // one sentence for reviewers: what has to be true, and what the write promises
}

// Table is the lifecycle: the only place where an arrow is written. Machine, documents and model are made from it.
// Treat it as a constant.
var Table = []Row{
	{Acquire, StateAbsent, StateParentOwned, WriteCreate, HostNone,
		"The plugin was admitted under the catalogue lock; from here on the lease blocks it."},
	{HostStarting, StateParentOwned, StateHostStarting, WriteReplace, HostRecord,
		"The host exists and waits at its gate; its exact identity goes on record before any of the plugin's code can run."},
	{HostStarted, StateHostStarting, StateHostActive, WriteReplace, HostSame,
		"The same host is about to run the plugin; the gate opens only after this write is durable."},
	{CleanupComplete, StateParentOwned, StateCleanupComplete, WriteReplace, HostKeep,
		"No host was started, and everything the owner began is proved gone."},
	{CleanupComplete, StateHostStarting, StateCleanupComplete, WriteReplace, HostKeep,
		"The host never passed its gate and is proved gone."},
	{CleanupComplete, StateHostActive, StateCleanupComplete, WriteReplace, HostKeep,
		"Every process of the invocation is proved gone."},
	{CleanupUnsafe, StateParentOwned, StateCleanupUnsafe, WriteReplace, HostKeep,
		"Something the owner began could not be proved gone; the plugin stays blocked."},
	{CleanupUnsafe, StateHostStarting, StateCleanupUnsafe, WriteReplace, HostKeep,
		"The waiting host could not be proved gone; the plugin stays blocked."},
	{CleanupUnsafe, StateHostActive, StateCleanupUnsafe, WriteReplace, HostKeep,
		"Some process of the invocation could not be proved gone; the plugin stays blocked."},
	{Release, StateCleanupComplete, StateReleased, WriteRemove, HostNone,
		"The record has served; nothing of the invocation is left to block for."},
}

// NoOps are the repeats: already true, so they are nil and write nothing, also when the file is gone.
var NoOps = []Row{
	{Event: CleanupComplete, From: StateCleanupComplete, To: StateCleanupComplete, Doc: "Already complete."},
	{Event: CleanupUnsafe, From: StateCleanupUnsafe, To: StateCleanupUnsafe, Doc: "Already unsafe."},
	{Event: Release, From: StateReleased, To: StateReleased, Doc: "Already released."},
}

// Find returns the arrow of ev out of s.
func Find(s State, ev Event) (Row, bool) { return find(Table, s, ev) }

// IsNoOp reports whether ev in s is a repeat.
func IsNoOp(s State, ev Event) bool {
	_, ok := find(NoOps, s, ev)
	return ok
}

func find(rows []Row, s State, ev Event) (Row, bool) {
	for _, r := range rows {
		if r.From == s && r.Event == ev {
			return r, true
		}
	}
	return Row{}, false
}
