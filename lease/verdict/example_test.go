package verdict_test

import (
	"fmt"

	"containlease/fsm"
	"containlease/lease/verdict"
)

// The owner was killed while its host was at work. Whether the lease may go depends on the boundary's own proof.
func ExampleJudge() {
	f := verdict.Facts{
		Version: 2, State: fsm.StateHostActive, HostRecorded: true, Owner: verdict.Dead, Host: verdict.Dead,
		OwnerBootCurrent: true, HostBootCurrent: true, Lock: verdict.LockFree, SameMachine: true, BootReliable: true,
		Evidence: true, Place: verdict.PlaceSame, Boundary: "subreaper", Carriers: verdict.Absent,
	}
	for _, f.BoundaryEmpty = range []bool{false, true} {
		v := verdict.Judge(f)
		fmt.Println(v.Outcome, v.Rule, v.Removes(verdict.Recover, f))
	}
	// Output:
	// unknown no-proof false
	// gone boundary-empty true
}
