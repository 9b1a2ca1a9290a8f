package verdict

import (
	"containlease/fsm"
	"containlease/gen/leasefile"
)

// The build fails here, with a duplicate key, when a state of the lifecycle and a status of the schema drift apart.
var _ = map[bool]string{false: "", string(fsm.StateParentOwned) == string(leasefile.ContainmentStatusParentOwned): "parent-owned"}
var _ = map[bool]string{false: "", string(fsm.StateHostStarting) == string(leasefile.ContainmentStatusHostStarting): "host-starting"}
var _ = map[bool]string{false: "", string(fsm.StateHostActive) == string(leasefile.ContainmentStatusHostActive): "host-active"}
var _ = map[bool]string{false: "", string(fsm.StateCleanupComplete) == string(leasefile.ContainmentStatusCleanupComplete): "cleanup-complete"}
var _ = map[bool]string{false: "", string(fsm.StateCleanupUnsafe) == string(leasefile.ContainmentStatusCleanupUnsafe): "cleanup-unsafe"}

// And here, with an index out of range, when the schema gains or loses one.
var _ = [1]struct{}{}[len(leasefile.ContainmentStatuses)-5]
