package verdict

// Action is what an operator does next about a lease. The set is closed and published. What a program makes of it, a
// command or a button, is that program's; each is refused where it would break the promise, whenever it comes.
type Action string

// The actions.
const (
	ActLook       Action = "look"       // nothing to be done but to look
	ActClear      Action = "clear"      // let the doctor clear it, which it does as soon as the proof is there
	ActStop       Action = "stop"       // end what is seen alive of it, and clear it if that is proved
	ActVouch      Action = "vouch"      // clear it, with the word that there is a single PID namespace
	ActRetire     Action = "retire"     // remove it on a word
	ActQuarantine Action = "quarantine" // set it aside, on a word
	ActAdopt      Action = "adopt"      // take over the home, on a word
)

// Vouches says what whoever takes the action gives a word for; "" where none is wanted. It is never a reason to be copied:
// what was looked at is said in one's own words.
func (a Action) Vouches() string {
	switch a {
	case ActRetire:
		return "that nothing of its invocation runs any more"
	case ActQuarantine:
		return "that it is no lease at work"
	case ActAdopt:
		return "that the home was moved here, and that nothing of its leases runs elsewhere"
	case ActVouch:
		return "that all who use the home share one PID namespace"
	}
	return ""
}
