package explain

import (
	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/file"
)

// Error is one sentinel: what an operator has to know of it. Its text and its exit code are its own.
type Error struct {
	Name   string
	Err    error
	Cause  string
	Do     string
	Doctor string // whether the doctor can clear what is behind it
}

const (
	no      = "no"
	nothing = "nothing to clear"
	proof   = "yes, once the proof is there"
)

// Errors is the catalogue, by package.
var Errors = []Error{
	{"fsm.ErrRefused", fsm.ErrRefused, "the table has no such arrow, or the host is not the one on record", "fire the events in order; it is a mistake in the program", nothing},
	{"fsm.ErrBusy", fsm.ErrBusy, "an event was fired from inside an event of the same handle", "fire it afterwards; it is a mistake in the program", nothing},

	{"persist.ErrNotExist", persist.ErrNotExist, "there is no such lease or record", "look at `list`", nothing},
	{"persist.ErrExists", persist.ErrExists, "a create found a file under its own new name", "report it: names never recur", no},
	{"persist.ErrChanged", persist.ErrChanged, "the lease was changed or removed behind its handle", "find out who writes into the home; Resync or close the handle", proof},
	{"persist.ErrUnsettled", persist.ErrUnsettled, "it is not known whether the last write landed", "Resync the handle; after a crash the doctor judges whichever state is there", proof},
	{"persist.ErrNotDurable", persist.ErrNotDurable, "a sync failed after the write was visible", "look after the disk, then Resync; keep the gate shut", proof},

	{"file.ErrNoHome", file.ErrNoHome, "there is no home at the path", "check --home", nothing},
	{"file.ErrUnsafe", file.ErrUnsafe, "others could read or change the home", "run the command that the message names", no},
	{"file.ErrFilesystem", file.ErrFilesystem, "the file system is not known to keep locks and synced writes", "put the home on a local file system", no},
	{"file.ErrUnsupported", file.ErrUnsupported, "this system cannot prove that a home is private", "use a supported system", no},
	{"file.ErrHomeReplaced", file.ErrHomeReplaced, "the directory was replaced or removed while in use", "open the home again", no},
	{"file.ErrNoLockFile", file.ErrNoLockFile, "the home has no catalogue lock yet", "nothing: the first writer makes it", nothing},
	{"file.ErrHeld", file.ErrHeld, "somebody holds the liveness lock", "wait for the owner to end", no},
	{"file.ErrLivenessLost", file.ErrLivenessLost, "the lock file was removed or replaced", "see lease.ErrLostLock", proof},
	{"file.ErrName", file.ErrName, "a name that a home never stores", "check the id", nothing},

	{"process.ErrNoIdentity", process.ErrNoIdentity, "processes cannot be told apart here: /proc is missing, foreign or mounted over", "give the program a genuine /proc", no},
	{"process.ErrNotFound", process.ErrNotFound, "there is no such process", "nothing", nothing},
	{"process.ErrUnsupported", process.ErrUnsupported, "this system has no way to hold on to a process", "use a supported system", no},

	{"lease.ErrBlocked", lease.ErrBlocked, "an earlier lease of the plugin, or one that nobody can read, is in the way", "the message names the lease, the missing proof and the command", proof},
	{"lease.ErrHeld", lease.ErrHeld, "a live invocation asked to be alone, or this one did", "try again later", nothing},
	{"lease.ErrNotActive", lease.ErrNotActive, "the plugin is not enabled with exactly this identity", "`containlease plugin enable`", nothing},
	{"lease.ErrInvalid", lease.ErrInvalid, "an identity, lease or record breaks its schema", "correct the field that the message names", no},
	{"lease.ErrLegacy", lease.ErrLegacy, "a v1 lease is read and judged, but not driven", "let the program that wrote it release it", proof},
	{"lease.ErrNotOurs", lease.ErrNotOurs, "another owner drives the lease", "nothing: only its owner moves it", proof},
	{"lease.ErrClosed", lease.ErrClosed, "the handle was closed or released", "acquire anew", nothing},
	{"lease.ErrLostLock", lease.ErrLostLock, "the lease's lock file was removed or replaced while it was held", "find out who writes into the home; stop the plugin", proof},
	{"lease.ErrUnproved", lease.ErrUnproved, "`stop` has ended what it could see, and nothing proves that nothing is left; or something does not die", "do what the message names next", no},
	{"lease.ErrNoReason", lease.ErrNoReason, "a decision was given a reason without a word in it, such as the one that is printed to be filled in", "say in your own words what you have looked at", no},
	{"lease.ErrInUse", lease.ErrInUse, "a decision was about a lease or home that is proved to be at work", "wait for its end, or stop it; nobody's word changes that", no},
	{"lease.ErrOtherDigest", lease.ErrOtherDigest, "the digest given is not that of the record, or not any more", "look at it again with `show`, and decide again", proof},
	{"lease.ErrNotForThis", lease.ErrNotForThis, "there is another, safer way for it", "run the command that the message names", proof},
	{"lease.ErrReadOnly", lease.ErrReadOnly, "the home was opened for reading", "open it for writing", nothing},
	{"lease.ErrOtherHome", lease.ErrOtherHome, "the home was made on another machine, or copied or moved", "use it where it was made; one that was moved for good is taken over by `adopt`", no},
	{"lease.ErrBadArgument", lease.ErrBadArgument, "an event was given what it does not take", "correct the program", nothing},

	{"host.ErrUnsafe", host.ErrUnsafe, "the end of the invocation could not be proved", "see the lease's verdict in the runbook", proof},
	{"host.ErrNoGate", host.ErrNoGate, "the program cannot serve as its own gate", "call host.GateMain first in main", nothing},
	{"host.ErrUnsupported", host.ErrUnsupported, "this system offers nothing to prove an end with", "use a supported system", nothing},
	{"host.ErrBoundary", host.ErrBoundary, "the boundary that was asked for is not possible here", "ask for auto, or read why", nothing},
	{"host.ErrUnproved", host.ErrUnproved, "process-group proves nothing after a crash, and that was not accepted", "ask for auto, or accept it: it is audited", nothing},
	{"host.ErrCommand", host.ErrCommand, "the command asks for what the gate cannot pass on", "correct the program", nothing},
	{"host.ErrDigest", host.ErrDigest, "the plugin's file is not the one that was expected; nothing was started", "find out who exchanged it", nothing},
	{"host.ErrNeverStarted", host.ErrNeverStarted, "a prepared command was not started; no plugin code ran", "nothing: release the lease", nothing},
	{"host.ErrGate", host.ErrGate, "the gate did not start or did not answer; no plugin code ran", "read the wrapped cause", proof},
	{"host.ErrScopeClosed", host.ErrScopeClosed, "a cleanup was registered after its scope began to close; it was not run", "register before Close; it is a mistake in the program", nothing},
}

// Kinds explains why a stored record cannot be taken.
var Kinds = map[persist.Kind]string{
	persist.ForeignName: "the name is not one of this store's; it is reported and blocks nothing",
	persist.NotRegular:  "a link, FIFO, socket, device or directory where a file belongs",
	persist.NotPrivate:  "another owner, rights for group or others, or more than one link",
	persist.TooLarge:    "more bytes than a record may have",
	persist.Unreadable:  "the system refused to open or read it",
	persist.Unstable:    "it changed during every one of a bounded number of reads",
}
