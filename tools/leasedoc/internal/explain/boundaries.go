package explain

import "containlease/gen/leasefile"

// Boundaries explains what may enclose an invocation. The evidence names one of them.
var Boundaries = map[leasefile.BoundaryKind]Boundary{
	leasefile.BoundaryKindNone: {"the death of the owner, where no host was made", "helpers of the owner are not seen", true},
	leasefile.BoundaryKindSubreaper: {"the gate's wait says that nothing is left, it leaves a note, and it is dead",
		"a process that enters a foreign PID namespace and forks twice there; work handed to daemons; a gate killed by SIGKILL leaves no proof", true},
	leasefile.BoundaryKindCgroupV2:     {"the control group is gone or not populated", "a process may move itself out", true},
	leasefile.BoundaryKindPIDNamespace: {"the namespace's first process is dead: the kernel has killed everything inside", "in a user namespace sudo, ssh and file owners change", true},
	leasefile.BoundaryKindProcessGroup: {"none", "a process leaves its group by one call", true},
}
