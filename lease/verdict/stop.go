package verdict

// Target is whose end a verdict waits for.
type Target string

// The targets; "" is nobody.
const (
	TargetOwner Target = "owner"
	TargetHost  Target = "host" // and everybody in its boundary
)

// Stop is how an operator ends what is left of an invocation whose owner is dead, in one kind of boundary.
type Stop struct {
	Boundary string // the kind on record; "" where there is none
	Command  string // for a shell; {host} stands for the host's pid, {group} for the control group's path as a word
	Effect   string // what it does, and whether the doctor can clear the lease then
}

// stopOwner asks the owner to end, stopGate the gate: once the owner is gone, TERM ends the gate's grace at once, and the gate
// still waits for everybody and leaves its note.
const (
	stopOwner = "kill {owner}"
	stopGate  = "kill {host}"
)

// Stops has one row per kind. None sends KILL to a gate that could still prove something. Treat it as a constant.
var Stops = []Stop{
	{"cgroup-v2", "echo 1 >{group}/cgroup.kill",
		"the kernel kills everything in the control group at one stroke; the gate waits for who left it, and ends; the doctor clears the lease"},
	{"pid-namespace", "kill -KILL {host}",
		"the host is the namespace's init: the kernel kills everything inside with it; the doctor clears the lease"},
	{"subreaper", stopGate,
		"the gate kills what is left, waits for its end, leaves its note and ends; the doctor clears the lease"},
	{"process-group", stopGate,
		"the gate kills what is left, waits for its end and ends; but nothing proves that to the doctor: then only a reboot or the operator's word clears the lease"},
	{"", stopGate,
		"the gate ends; what may be left has no boundary on record that could prove its end"},
}

// stop is the command that ends t, where what it names is certain; else "".
func (f Facts) stop(t Target) string {
	switch {
	case f.Place == PlaceOther: // its numbers are other processes' here
		return ""
	case t == TargetOwner && f.Owner == Live:
		return stopOwner
	case t == TargetHost && f.provable() && f.BoundaryInhabited:
		return stopOf(f.Boundary)
	case t != TargetHost || !f.hostIs(Live):
		return ""
	case f.provable(): // its group is empty already, or cannot be told from another one here
		return stopGate
	}
	return stopOf(f.Boundary)
}

func stopOf(boundary string) string {
	for _, s := range Stops {
		if s.Boundary == boundary {
			return s.Command
		}
	}
	return stopGate
}

// Advice is what a rung has an operator type, for documents: with the placeholders of the ladder's commands, and {stop} for the
// command of [Stops]. Where nothing can be stopped, it is the rung's Next alone.
func (r Rung) Advice() string {
	switch {
	case r.Stop == TargetOwner:
		return stopOwner + "; containlease " + NextStopped
	case r.Stop == TargetHost && !r.proof: // else who could be stopped is the exception
		return "{stop}; containlease " + NextStopped
	case r.Next == "":
		return "containlease " + NextClear
	}
	return "containlease " + r.Next
}
