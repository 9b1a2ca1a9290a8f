// Package verdict decides, from facts alone, what a lease means now: is anything of that invocation still alive, may
// the record be removed, may the plugin be started beside it?
//
// It is pure: no clock, no disk, no process table. Package lease gathers the [Facts]; [Judge] is the one
// function behind acquire, list, show and doctor, so that they cannot disagree.
//
// Two policies are complete here. [Original] is the original program's rules, bit for bit, kept to be compared with
// what was measured on it. [Strict] is what this project uses: the same rules behind a ladder of proofs; every way in which
// it differs is a row of [Deviations].
package verdict

import "containlease/fsm"

// Policy names a complete set of rules.
type Policy string

// The two policies.
const (
	Original Policy = "original"
	Strict   Policy = "strict"
)

// Outcome is what a verdict says. The set is closed and published in the command line's JSON.
type Outcome string

// The outcomes.
const (
	Active    Outcome = "active"    // its owner is at work
	Gone      Outcome = "gone"      // every process of it is proved gone
	Abandoned Outcome = "abandoned" // its owner lives, but no longer looks after it
	Orphan    Outcome = "orphan"    // its owner is dead and something of it lives
	Uncertain Outcome = "unknown"   // neither life nor death is proved
	Malformed Outcome = "malformed" // not a lease
	Newer     Outcome = "newer"     // a lease of a version that this program does not know
)

// Verdict is an explained decision.
type Verdict struct {
	Outcome   Outcome
	Rule      string   // the name of the row that decided
	Because   string   // that row in words
	Removable bool     // a doctor may remove the lease, once it has judged again under both locks
	Missing   []string // what would prove that it is gone, with placeholders (see [Rung]); empty where nothing is missing
	Next      Action   // what to do next
}

// Mode says how far a removal may go.
type Mode string

// The modes.
const (
	Repair  Mode = "repair"  // routine: only what its owner has completed
	Recover Mode = "recover" // the doctor: whatever is proved gone
)

// Judge returns what the facts mean under policy Strict.
func Judge(f Facts) Verdict { return first(Ladder, f) }

// Removes reports whether mode may remove the lease that f and v are about.
func (v Verdict) Removes(m Mode, f Facts) bool {
	return v.Removable && (m == Recover || f.State == fsm.StateCleanupComplete)
}

// OfMalformed is the verdict on a record that is no lease; because says why.
func OfMalformed(because string) Verdict {
	return Verdict{Outcome: Malformed, Rule: "malformed", Because: because, Next: ActQuarantine,
		Missing: []string{"a lease that can be read: nobody can tell whose it is, so it blocks every plugin"}}
}

// OfNewer is the verdict on a lease of a newer version, which blocks its own plugin only.
func OfNewer(because string) Verdict {
	return Verdict{Outcome: Newer, Rule: "newer-version", Because: because, Next: ActLook,
		Missing: []string{"a containlease that knows this version"}}
}
