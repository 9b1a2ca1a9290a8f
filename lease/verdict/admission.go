package verdict

import "containlease/fsm"

// Block says why a plugin may not start beside a lease; "" admits. The set is closed and published.
type Block string

// The blocks.
const (
	Admitted            Block = ""
	BlockedMalformed    Block = "blocked-malformed"    // a record that nobody can read blocks every plugin
	BlockedUnsafe       Block = "blocked-unsafe"       // cleanup-unsafe: its owner could not prove the end
	BlockedUnverifiable Block = "blocked-unverifiable" // neither at work nor proved gone
	BlockedNewer        Block = "blocked-newer"        // a version that this program does not know
	BlockedExclusive    Block = "blocked-exclusive"    // one of the two asked to be alone
)

// Admit decides whether the plugin of the lease that f is about may start once more beside it. Leases of other plugins
// are never asked about; malformed records block before any lease is judged.
func (p Policy) Admit(f Facts) Block {
	switch {
	case p == Original && f.State == fsm.StateCleanupComplete && f.Version == 2:
		return Admitted
	case p == Original && f.State == fsm.StateCleanupUnsafe:
		return BlockedUnsafe
	case p == Original && OwnerStatus(f) == Live:
		return Admitted
	case p == Original:
		return BlockedUnverifiable
	}
	return Judge(f).Admit(f.State)
}

// Admit is policy Strict's admission beside a lease in state s with verdict v: only beside an invocation at work, or one
// that is complete and gone.
func (v Verdict) Admit(s fsm.State) Block {
	switch {
	case v.Outcome == Malformed:
		return BlockedMalformed
	case v.Outcome == Newer:
		return BlockedNewer
	case s == fsm.StateCleanupUnsafe:
		return BlockedUnsafe
	case v.Outcome == Active, v.Outcome == Gone && s == fsm.StateCleanupComplete:
		return Admitted
	}
	return BlockedUnverifiable
}
