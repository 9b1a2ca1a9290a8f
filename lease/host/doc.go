// Package host runs a child process under a lease, so that its end can be proved.
//
// Between the owner and the plugin stands the gate, a small process that is the lease's host:
//
//	owner ── control socket ── gate (child subreaper) ──┤ boundary: plugin ── whatever it starts ├
//
// The gate exists and is on record before any of the plugin's code runs, opens on one byte that the owner sends when
// host-active is durable, and never on an end of file. It adopts every orphan of the plugin, and when its wait says that
// there is nothing left to wait for, the invocation is gone: it leaves a note beside the lease (owners/<id>.empty) and tells
// the owner. Only that word, after the plugin's fate and followed by the end of the gate itself, is proof; an exit status proves
// nothing, and neither does any error. A gate that cannot tell says why, ends what it can, and ends: the lease is unsafe. If
// the owner dies, the gate stops what is left, leaves the note and ends: a doctor can clear the lease without a reboot.
//
// Programs call [GateMain] as the first statement of main and then, with a handle from lease.Acquire:
//
//	result, err := host.Run(ctx, handle, exec.Command("plugin"))
//	if err == nil { err = handle.Release(ctx) }
//
// # Commands that somebody else starts
//
// A library that starts, signals and kills its commands itself gets one that [Prepare] has changed. It starts the front:
//
//	owner ── library ── front ── gate ──┤ boundary: plugin ├
//	  └────── control socket ─────┘
//
// The front is what the library takes for the plugin: it passes on every signal that can be passed on and ends as the plugin
// ends. It holds nothing, so SIGKILL of it is a request to stop the plugin. All else, and so what a crash leaves behind, is as with Run.
//
//	prepared, err := host.Prepare(ctx, handle, cmd)
//	client := plugin.NewClient(&plugin.ClientConfig{Cmd: cmd, ...}) // starts, calls and kills it
//	client.Kill()
//	result, err := prepared.Finish(ctx)
//	if err == nil { err = handle.Release(ctx) }
//
// # Boundaries
//
// The gate is a child subreaper in every kind, so a normal end always has its word. The kinds differ in what they stop at a
// stroke, and in what is left to prove the end with when owner and gate were killed:
//
//   - cgroup-v2: the plugin is born in a control group below the owner's; the gate stays outside, or the group would never be
//     empty. Stopped by cgroup.kill, whoever the processes belong to. Proved by the kernel's account of the group, so also after
//     the gate was killed. A process that moved itself to another group (systemd-run and podman do that) is waited for by the
//     gate; without the gate it is known by its environment only, and not if it has taken another one as well.
//   - pid-namespace: the gate is the init of a new PID namespace, with a /proc of its own. Proved by its death: before an init is dead
//     the kernel has killed everything inside. By request only: without privileges it takes a user namespace, in which set-uid
//     programs, and so sudo, gain nothing and other owners of files are nobody.
//   - subreaper: stopped child by child, proved by the gate's note. A gate killed by SIGKILL leaves no proof, and so a lease that
//     blocks until a reboot, or an operator's word (retire). A process that enters a foreign PID namespace and forks twice there is not seen. A set-uid
//     program cannot be stopped by a gate without privileges: it is waited for.
//   - process-group: as subreaper, and nothing is ever proved without the owner. Only with [AcceptUnproved].
//
// The plugin, and what it starts, has the lease's id in its environment ([lease.Mark]). After a crash no kind is taken for empty while a
// process is seen that carries it.
//
// [WithBoundary] asks for one; auto, the default, is cgroup-v2 where a group can be made and else subreaper. [Choose] says
// beforehand which it will be and why. None of them sees work that is handed to daemons (docker, at, systemd).
//
// Linux only; elsewhere [Supported] says so before anything is written.
package host
