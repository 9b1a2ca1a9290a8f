package lease

import (
	"containlease/lease/verdict"
	"containlease/persist"
)

// Next is what an operator does next, as data: whoever shows it says it in a way of their own, such as a command. It holds no
// word that somebody vouches for: what was looked at is said by who has looked. Each action is refused where, by the time that it
// is taken, it would break the promise.
type Next struct {
	Action verdict.Action
	Lease  string         // the lease's id, or the stored name of what is no lease; "" where it is about the home
	Digest persist.Digest // of the bytes that were judged; zero where they could not be read, or where none is wanted
	Reason string         // what the action's reason has to vouch for; "" where none is wanted
}

// nextOf is what the verdict on i recommends.
func nextOf(i *Inspection) Next {
	n := Next{Action: i.Verdict.Next, Lease: i.ID, Reason: i.Verdict.Next.Vouches()}
	switch n.Action {
	case verdict.ActRetire, verdict.ActQuarantine:
		n.Digest = i.Digest
	case verdict.ActVouch, verdict.ActAdopt:
		n.Lease = ""
	}
	return n
}
