package verdict

import "containlease/fsm"

// OwnerStatus is the original program's one word on a lease: what its combined processes say, where every state
// before completion is a tombstone and so never simply dead.
func OwnerStatus(f Facts) Liveness {
	c := combined(f)
	if f.Version == 2 && f.State == fsm.StateCleanupComplete || c == Live {
		return c
	}
	return Unknown
}

// combined joins owner and host: alive if either is, dead only if both are.
func combined(f Facts) Liveness {
	switch {
	case f.Version == 1 || f.State == fsm.StateParentOwned || !f.HostRecorded:
		return f.Owner
	case f.Owner == Live || f.Host == Live:
		return Live
	case f.Owner == Unknown || f.Host == Unknown:
		return Unknown
	}
	return Dead
}

// Decide returns what policy p makes of a lease in mode m, in the original program's three words: Active, Gone (to be
// removed) or Uncertain.
func (p Policy) Decide(m Mode, f Facts) Outcome {
	if p == Original {
		return original(m, f)
	}
	v := Judge(f)
	switch {
	case v.Removes(m, f):
		return Gone
	case v.Outcome == Active:
		return Active
	}
	return Uncertain
}

func original(m Mode, f Facts) Outcome {
	if m == Repair {
		return word(OwnerStatus(f))
	}
	switch {
	case f.Version == 1 && !f.OwnerBootCurrent:
		return Gone
	case f.Version == 1:
		return word(OwnerStatus(f))
	case f.State == fsm.StateHostActive || f.State == fsm.StateCleanupUnsafe:
		if f.anotherBoot() {
			return Gone
		}
		return Uncertain
	}
	return word(combined(f))
}

func word(l Liveness) Outcome {
	return map[Liveness]Outcome{Live: Active, Dead: Gone, Unknown: Uncertain}[l]
}
