// Package host runs a child process under a lease, so that its end can be proved.
//
// Between the owner and the plugin stands the gate, a small process that is the lease's host:
//
//	owner ── control socket ── gate (child subreaper) ── plugin ── whatever it starts
//
// The gate exists and is on record before any of the plugin's code runs, opens on one byte that the owner sends when
// host-active is durable, and never on an end of file. It adopts every orphan of the plugin, and when its wait says that
// there is nothing left to wait for, the invocation is gone: it leaves a note beside the lease (owners/<id>.empty) and tells
// the owner. Only that word, followed by the end of the gate itself, is proof; an exit status proves nothing. If
// the owner dies, the gate stops what is left, leaves the note and ends: a doctor can clear the lease without a reboot.
//
// Programs call [GateMain] as the first statement of main and then, with a handle from lease.Acquire:
//
//	result, err := host.Run(ctx, handle, exec.Command("plugin"))
//	if err == nil { err = handle.Release(ctx) }
//
// What this boundary, the subreaper, cannot see: a process that enters a foreign PID namespace and forks twice there, and work
// handed to daemons (docker, at, systemd). A gate killed by SIGKILL leaves no proof, and so a lease that blocks.
//
// Linux only; elsewhere [Supported] says so before anything is written.
package host
