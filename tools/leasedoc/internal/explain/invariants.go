package explain

// Test names a test function and the file that has it.
type Test struct{ File, Name string }

// Invariant is a promise, where it is tested, and the mutant of the model that breaks it.
type Invariant struct {
	Name, Says string
	Tests      []Test
	Breaks     string // a run of the model in which it must break: the check is not empty
}

// Invariants are the promises of the protocol. Every run of the model that must hold asks for all of them.
var Invariants = []Invariant{
	{"I1", "No invocation is admitted while an earlier one of the plugin may still have a process and its owner is not proved alive.",
		[]Test{{"lease/verdict/verdict_test.go", "TestInvariants"}, {"schema/vectors/decisions_test.go", "TestDecisions"},
			{"lease/sim/sim_test.go", "TestSimulation"}}, "admit-orphan"},
	{"I2", "A lease is removed only when no process of it can be alive.",
		[]Test{{"lease/verdict/verdict_test.go", "TestInvariants"}, {"lease/host/crash_linux_test.go", "TestTheOwnerIsKilled"},
			{"lease/host/crash_linux_test.go", "TestOwnerAndGateAreKilled"}, {"lease/sim/sim_test.go", "TestSimulation"}}, "blind-proof"},
	{"I3", "Memory is never ahead of the disk.",
		[]Test{{"fsm/machine_test.go", "TestMemoryMovesAfterTheDisk"}, {"fsm/machine_test.go", "TestEveryPairOfStateAndEvent"},
			{"lease/sim/sim_test.go", "TestSimulation"}}, "memory-first"},
	{"I4", "The gate opens only while the disk says host-active.",
		[]Test{{"lease/host/host_linux_test.go", "TestThePluginsFirstInstructionFindsHostActive"}, {"lease/sim/sim_test.go", "TestSimulation"}}, "gate-first"},
	{"I5", "While the disk says cleanup-complete, no process of the invocation is alive.",
		[]Test{{"lease/host/host_linux_test.go", "TestWhatThePluginLeavesBehindIsEndedAndProved"},
			{"lease/host/host_linux_test.go", "TestAKilledGateIsNoProof"}, {"lease/sim/sim_test.go", "TestSimulation"}}, "early-word"},
	{"I6", "Between operations memory and disk agree, or the handle says that it is frozen.",
		[]Test{{"persist/attempt_test.go", "TestSettle"}, {"fsm/machine_test.go", "TestResume"}, {"lease/sim/sim_test.go", "TestSimulation"}}, "read-old"},
}
