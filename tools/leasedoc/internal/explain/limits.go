package explain

// Point is a short statement with its explanation.
type Point struct{ What, Text string }

// Proves is what a lease lets one conclude, NotProves what it does not.
var Proves = []Point{
	{"Who started it", "One process, named by number, boot and start time, acquired the lease before any host existed."},
	{"How far it came", "The file says the last state that was made durable; the plugin's code cannot have run before host-active."},
	{"That nothing is left", "A lease leaves the catalogue only on proof: the owner's own, the boundary's, or a reboot of the machine."},
	{"That the plugin may start", "While any process of an earlier invocation may live and no owner looks after it, the next acquire is refused and says why."},
}

// NotProves is what a lease says nothing about.
var NotProves = []Point{
	{"That the plugin did its work", "A lease is about processes, not results. The exit status is passed on, and proves nothing."},
	{"Anything by age", "No decision rests on a clock. A lease of last year blocks like one of this minute, until somebody proves its end."},
	{"Good will", "The plugin is taken to be careless, not hostile: it runs with the owner's rights and could remove the lease itself."},
	{"What daemons do", "Work that a plugin hands to a daemon (docker, at, systemd) belongs to the daemon and is outside the boundary."},
}

// Limits are the assumptions that the proofs rest on, and where they end.
var Limits = []Point{
	{"Network file systems", "A home lies on a local file system known to keep locks and synced writes; others are refused unless the caller insists. NFS and 9p are such others."},
	{"WSL", "WSL 2 runs a Linux kernel and is judged as one; a home under /mnt is on 9p and refused. WSL 1 has no pidfd, so no identity: acquire refuses."},
	{"Containers", "The liveness lock is seen across PID, mount and user namespaces. Process numbers are not: from another PID namespace a free lock is judged unknown, until the owner's namespace has ended (Linux 6.18 tells), the machine is rebooted, or the question is asked in the owner's namespace."},
	{"Who left, and changed its environment", "After a crash that took the gate too, a process that left its control group is known by the lease in its environment only. Who left it and cleared that is not seen; who may not be looked at is said to be unseen, and keeps the lease."},
	{"Time namespaces", "A start time is only comparable within one time namespace; another one is judged like another PID namespace."},
	{"Snapshots and clones", "A home that was copied or moved is refused, since its inode changed. Identical clones of a whole virtual machine cannot be told apart; restoring a snapshot brings back processes and records together."},
	{"A disk that lies", "A device that acknowledges a sync and loses it may bring back an older state after a power loss. After a power loss the boot is another one, and nothing of the invocation lives: what comes back can block, but not admit wrongly."},
	{"Root", "A plugin that runs as root can enter a foreign PID namespace and fork twice there: the subreaper does not see it. It can also kill the gate."},
	{"A killed gate", "Behind a subreaper SIGKILL of the gate leaves no proof: the lease stays until a reboot, or an operator's word (retire). A control group and a PID namespace prove the end all the same."},
	{"Helpers", "What the owner itself starts before a host exists is inside the boundary, and has ended before hostStarting. Outside of a boundary, or beyond hostStarting, the model finds the lease removed too early (runs unbounded and helper-stays)."},
	{"A stranger's lease", "A program that keeps no liveness lock and no evidence is judged by its processes alone; on the same boot its death is believed only on the operator's word that there is a single PID namespace."},
	{"Process identity", "Two processes of one number that start within one clock tick differ only in their pidfs inode (Linux 6.9). On older kernels they look the same; a dead owner may then look alive, and the lease blocks."},
}

// Differences are what differs from the original program beyond the deviations of its decisions.
var Differences = []Point{
	{"The gate", "The original's host runs the plugin itself. Here a gate stands between, is on record before any of the plugin's code runs, and proves the end."},
	{"The liveness lock", "The original knows an owner by its process only. Here it also holds a lock that the kernel frees with it, seen across namespaces."},
	{"Lost replies", "The original reports an error and leaves memory and disk apart. Here such a handle is frozen until Resync has a definite answer."},
	{"Durability", "Here every arrow is synced before memory moves, and a failed sync is reported as such and never repeated on the same file."},
}
