// Package lease keeps the durable record of one invocation of a plugin in a child process: the containment lease.
//
// It answers one question after any crash: is anything of that invocation still running, and may the plugin be
// started again? The record is written before the host process exists, names owner and host by exact process identity,
// moves through the table of package fsm by durable compare-and-swap writes, and blocks the plugin until
// every process is proved gone. Nothing is ever cleared by age: a lease here has no time to live, and is neither etcd's
// nor Kubernetes' Lease.
//
//	reg, err := lease.Open(ctx, dir)                    // a home on this machine
//	h, err := reg.Acquire(ctx, identity, runID)         // durable: parent-owned
//	err = h.Event(ctx, fsm.HostStarting, host)          // durable before the plugin's code can run
//	err = h.Event(ctx, fsm.HostStarted, host)           // durable before the gate opens
//	err = h.Event(ctx, fsm.CleanupComplete)             // or fsm.CleanupUnsafe, with the cause
//	err = h.Release(ctx)
//
// Programs that hand over an *exec.Cmd use package lease/host, which does all of this.
//
// # What an error means
//
// [ErrRefused] (a [*fsm.TransitionError]): the lifecycle forbids it, nothing changed. [ErrBlocked] (a [*BlockedError]): the plugin may not
// start. [ErrChanged]: somebody else touched the lease; the handle never writes it back. [ErrNotDurable]: written and
// visible, but a power loss may undo it: do not open the gate. [ErrUnsettled]: not known; the handle is frozen and takes
// only [Handle.Resync]. Any other error of a write: not written, memory unchanged, may be tried again.
//
// # Who may write, who may remove
//
// Only the holder of a lease's liveness lock moves it: its Handle. Only the doctor ([Registry.Repair]), by proof, and an operator
// ([Registry.Retire], [Registry.Quarantine]), by a word that is written down first, remove the lease of somebody else, holding the
// catalogue lock and the liveness lock, after judging again from scratch. [Registry.Stop] ends what is left of an invocation whose
// owner is dead, and then clears it like the doctor. [Adopt] makes a home that was moved this machine's.
//
// What is known of a lease is an [Inspection]: the facts, the verdict, who is seen alive ([Life]) and what to do ([Next]), as data. Errors
// say what is known and missing in words that hold for any program; commands are for the program that prints them.
//
// # Watching and counting
//
// [Registry.Watch] tells of every change in a home, whoever made it. [WithObserver] tells of what this registry does; [Counters]
// is an observer that counts it, for expvar.
package lease
