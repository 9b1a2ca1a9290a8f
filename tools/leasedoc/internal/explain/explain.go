// Package explain holds the words of the generated documents, keyed by the values that they explain. Nothing here is a rule: a
// rule is a value of fsm, verdict, lease or persist, and the documents take it from there. The tests want every value
// explained and every key to be a value.
package explain

import "containlease/fsm"

// State says what a state means to a reviewer.
type State struct {
	Means  string // what is true of the invocation
	Disk   string // what the file says
	Remove string // who may remove the record, and on what proof
}

// retire is what an operator may do in every state that a file can be in, as lease.Registry.Retire has it.
const retire = " An operator, by `retire`, where neither life nor death is proved."

// States explains fsm.States.
var States = map[fsm.State]State{
	fsm.StateAbsent: {"Nothing was recorded: the invocation does not exist.", "no file",
		"There is nothing to remove."},
	fsm.StateParentOwned: {"The owner has the lease and blocks the plugin; there is no host on record.", "status parent-owned, no host",
		"A doctor, once the owner is dead: at once where no boundary was recorded, else on the boundary's proof." + retire},
	fsm.StateHostStarting: {"The host exists and waits at its shut gate; none of the plugin's code has run.", "status host-starting, the host's identity",
		"A doctor, once owner and host are dead: the gate opens on a byte and never at an end of file." + retire},
	fsm.StateHostActive: {"The gate may open: the plugin's code may run, and leave processes behind.", "status host-active, the host's identity",
		"A doctor, once owner and host are dead and the boundary is proved empty; or after a reboot." + retire},
	fsm.StateCleanupComplete: {"Every process of the invocation was proved gone.", "status cleanup-complete, the host or null",
		"The owner, by release. A doctor, once owner and host are dead." + retire},
	fsm.StateCleanupUnsafe: {"The owner could not prove that everything is gone. The plugin stays blocked.", "status cleanup-unsafe, the host or null",
		"Not its owner. A doctor, once owner and host are dead and the boundary is proved empty; or after a reboot." + retire},
	fsm.StateReleased: {"The record has served and is gone. The handle is spent; the lease's id never returns.", "no file",
		"There is nothing to remove."},
}

// Event says how an event is asked for.
type Event struct {
	Call  string // the Go call
	Takes string // arguments
}

// Events explains fsm.Events.
var Events = map[fsm.Event]Event{
	fsm.Acquire:         {"reg.Acquire(ctx, identity, runID)", "the plugin's identity and the run"},
	fsm.HostStarting:    {"h.Event(ctx, fsm.HostStarting, host)", "the host's exact identity"},
	fsm.HostStarted:     {"h.Event(ctx, fsm.HostStarted, host)", "the same host"},
	fsm.CleanupComplete: {"h.Event(ctx, fsm.CleanupComplete)", "nothing"},
	fsm.CleanupUnsafe:   {"h.Event(ctx, fsm.CleanupUnsafe, cause)", "a cause, for the log only"},
	fsm.Release:         {"h.Release(ctx)", "nothing"},
}

// HostRules explains what an arrow asks of the host.
var HostRules = map[fsm.HostRule]string{
	fsm.HostNone:   "no host is involved",
	fsm.HostRecord: "the event brings the host's exact identity, and puts it on record",
	fsm.HostSame:   "the event brings a host that must equal the one on record: process number, boot and start",
	fsm.HostKeep:   "the host on record stays, a host or none",
}

// Writes explains the three writes.
var Writes = map[fsm.Write]string{
	fsm.WriteCreate:  "a new file, published only where none is, under the exclusive catalogue lock and after admission",
	fsm.WriteReplace: "the whole file anew, published only over the exact bytes last known, under the shared catalogue lock",
	fsm.WriteRemove:  "the file is removed only if it holds the exact bytes last known, under the shared catalogue lock",
}

// Guard says what has to be true before an arrow's write begins, beyond the host rule. The key is the row's event.
var Guard = map[fsm.Event]string{
	fsm.Acquire:         "The plugin is enabled with exactly this identity, where it has a record; no lease is malformed; beside every lease of the plugin admission is granted.",
	fsm.HostStarting:    "The handle still holds its liveness lock, and the lock file at the path is the one it holds.",
	fsm.HostStarted:     "The handle still holds its liveness lock. The gate is opened by the caller, after this event returned nil.",
	fsm.CleanupComplete: "The handle still holds its liveness lock. That every process is gone is the caller's proof; host.Run brings the gate's word and the gate's end.",
	fsm.CleanupUnsafe:   "The handle still holds its liveness lock. Nothing has to be proved.",
	fsm.Release:         "The handle still holds its liveness lock.",
}
