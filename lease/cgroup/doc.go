// Package cgroup makes, fills, kills, watches and removes one control group of the unified hierarchy (cgroup v2): the
// group that encloses one invocation.
//
//	own group ── containlease-<lease> ── everything that the plugin starts, in groups of its own too
//
// [Own] finds where the caller is, also on hybrid hosts, where the unified hierarchy is mounted beside the old
// ones. [Try] says whether a group can really be made there. A process that is born in a [Group] stays in it, as do its
// children, whatever sessions, parents and namespaces they choose, until one of them is moved to another group on purpose.
// [Group.Kill] reaches all of them at once, processes being forked meanwhile included.
//
// Later, and from elsewhere, [Look] says of a recorded [Place] whether the group is gone or without a process: the kernel's
// own account, and "unknown" wherever it is not certain that it is the same hierarchy that is looked at. What is there to
// read is cgroup.events; an empty cgroup.procs proves nothing. A Place has a chain of inodes from the root of the mount down
// to the group: below a directory that is the recorded one, a child that is missing or another one means that the
// recorded child is gone, with all that was in it. [Members] names who is in a group, [KillPlace] ends exactly them.
//
// Whoever makes a group, or uses one, holds a shared lock on its directory ([Group.Hold]). A group with a name of ours, of our
// user, without a process and held by nobody is litter of a program that was killed: [Litter] finds it, [Clear] removes it.
//
// Linux only; elsewhere everything is [ErrUnavailable] and every answer unknown.
package cgroup
