//go:build linux || darwin || freebsd

package sim_test

import (
	"slices"

	"containlease/fsm"
	"containlease/gen/leasefile"
)

// check holds what the disk and the handles say against what is true. It is called after every step.
func (w *world) check() {
	if now := w.disk.Changes(); now != w.seenAt {
		w.seenAt = now
		w.look()
	}
	for _, i := range w.invocations {
		i.check()
	}
}

// states is what the leases on the disk say, read by the real store.
func (w *world) states() (map[string]fsm.State, []*leasefile.LeaseV2) {
	found := map[string]fsm.State{}
	var leases []*leasefile.LeaseV2
	for e, err := range w.eye.Store().List(ctx) {
		w.must(err == nil && e.Err == nil, "the disk shows %s: %v, %v", e.Key, err, e.Err)
		if w.violated != nil {
			break
		}
		l, err := leasefile.DecodeFileNamed(e.Key+".json", e.Content)
		w.must(err == nil, "the disk shows %s: %v", e.Key, err)
		if v2, ok := l.(*leasefile.LeaseV2); ok {
			found[e.Key] = fsm.State(v2.Containment.Status)
			leases = append(leases, v2)
		}
	}
	return found, leases
}

// look compares the leases on the disk with those of the last look.
func (w *world) look() {
	before := w.onDisk
	found, leases := w.states()
	w.onDisk = found
	for _, l := range leases {
		if _, known := before[l.LeaseID]; !known {
			w.admitted(l, before)
		}
	}
	for id := range before {
		if _, there := found[id]; !there {
			i := w.invocation(id)
			w.must(len(i.running()) == 0, "I2: the lease of %s is removed, and %s is alive", i.owner.name, names(i.running()))
			w.must(i.lost > 0 || i.inside && before[id] == fsm.StateCleanupComplete,
				"I2: the lease of %s, which is alive, is removed", i.owner.name)
		}
	}
}

func (w *world) invocation(id string) *invocation {
	return w.invocations[slices.IndexFunc(w.invocations, func(i *invocation) bool { return i.id == id })]
}

func names(processes []*proc) (all []string) {
	for _, p := range processes {
		all = append(all, p.name)
	}
	return all
}

// admitted is I1, at the moment in which a new lease is visible: who judges may have been overtaken by a death since it asked.
func (w *world) admitted(l *leasefile.LeaseV2, before map[string]fsm.State) {
	n := slices.IndexFunc(w.invocations, func(i *invocation) bool { return i.owner.id.PID == l.Owner.PID && i.id == "" })
	if n < 0 {
		w.must(false, "a lease of nobody: %s", l.LeaseID)
		return
	}
	next := w.invocations[n]
	next.id, next.token = l.LeaseID, l.Owner.Token
	for _, i := range w.invocations {
		state, there := before[i.id]
		probed, asked := next.owner.actor.probed[i.id]
		w.must(len(i.running()) == 0 || i.lost == 0 || asked && probed <= i.lost,
			"I1: %s is admitted, and %s of an owner that was lost at step %d is alive", next.owner.name, names(i.running()), i.lost)
		w.must(!there || state != fsm.StateCleanupUnsafe, "I1: %s is admitted beside an unsafe lease of %s", next.owner.name, i.owner.name)
		w.must(!there || i.lost > 0 || !next.role.exclusive && !i.role.exclusive,
			"I1: %s is admitted beside %s, and one of them asked to be alone", next.owner.name, i.owner.name)
	}
}

// check is what must hold of one invocation at every moment.
func (i *invocation) check() {
	state, there := i.w.onDisk[i.id]
	if state == fsm.StateCleanupComplete && len(i.running()) > 0 {
		i.w.fail("I5: the disk says that %s is complete, and %s is alive", i.owner.name, names(i.running()))
	}
	if i.lost > 0 || i.handle == nil {
		return
	}
	s := i.handle.Snapshot()
	if s.State != i.memory {
		i.memory = s.State
		i.w.said++
	}
	if !there {
		state = fsm.StateReleased
	}
	if state != s.State && !(s.Frozen && i.inside && follows(s.State, state)) {
		i.w.fail("I3, I6: the handle of %s says %s, the disk %s; frozen: %t", i.owner.name, s.State, state, s.Frozen)
	}
	if s.Err != nil || !i.inside && (s.Frozen || !s.Durable) {
		i.w.fail("I6: the handle of %s is out of step: %v", i.owner.name, s.Err)
	}
}

// follows: an arrow leads from a state to the other one.
func follows(from, to fsm.State) bool {
	return slices.ContainsFunc(fsm.Table, func(r fsm.Row) bool { return r.From == from && r.To == to })
}

// started is I4, at the plugin's first instruction.
func (w *world) started(i *invocation) {
	w.must(w.onDisk[i.id] == fsm.StateHostActive, "I4: the plugin of %s starts, and the disk says %q", i.owner.name, w.onDisk[i.id])
}

// survived is I3 after a power loss: what a handle had said is there, or one arrow later.
func (w *world) survived(before map[string]fsm.State) {
	w.onDisk, _ = w.states()
	w.seenAt = w.disk.Changes()
	for _, i := range w.invocations {
		state, there := w.onDisk[i.id]
		was, visible := before[i.id]
		switch {
		case i.memory == fsm.StateAbsent: // nothing was promised
		case !there:
			w.must(!visible || i.memory == fsm.StateReleased, "I3: the power took the lease of %s, which was %s", i.owner.name, was)
		case visible:
			w.must(state == i.memory || follows(i.memory, state), "I3: the handle of %s said %s, and after the power loss the disk says %s",
				i.owner.name, i.memory, state)
		default:
			w.must(i.memory != fsm.StateReleased, "I3: the lease of %s was released, and is back after the power loss", i.owner.name)
		}
	}
}

// finish is what must hold once everybody has come to an end: nobody failed, nobody healthy was kept out, and the doctor clears all
// that is proved gone, and after a boot the rest.
func (w *world) finish() {
	for _, a := range w.actors {
		w.must(a.err == nil, "%s fails: %v", a.proc.name, a.err)
	}
	w.nobodyHealthyIsStranded()
	for _, i := range w.invocations { // programs that took an owner's place end too
		i.owner.die()
	}
	w.clear()
	for id, state := range w.onDisk {
		i := w.invocation(id)
		w.must(i.gateKilled && i.owner.id.BootID == w.boot && (!i.word || state == fsm.StateCleanupUnsafe),
			"stranded: the doctor leaves the lease of %s, %s", i.owner.name, state)
	}
	if len(w.onDisk) > 0 && w.violated == nil {
		w.power(w.disk.Killed())
		w.onDisk, _ = w.states()
		w.clear()
		w.must(len(w.onDisk) == 0, "stranded: the doctor leaves leases of an earlier boot: %v", w.onDisk)
	}
}

// nobodyHealthyIsStranded: whom no accident befell came to its end, and was kept out only beside somebody else's accident
// or by a wish to be alone.
func (w *world) nobodyHealthyIsStranded() {
	alone := slices.ContainsFunc(w.invocations, func(i *invocation) bool { return i.role.exclusive })
	for _, i := range w.invocations {
		if !i.hit {
			w.must(i.ended && (i.refused != nil || i.memory == fsm.StateReleased), "stranded: %s ends %s", i.owner.name, i.memory)
			w.must(i.refused == nil || alone || w.accidents > 0, "stranded: %s is refused beside the healthy: %v", i.owner.name, i.refused)
		}
	}
}

// clear is a round of the doctor with nobody beside it.
func (w *world) clear() {
	if w.violated != nil {
		return
	}
	p := w.fork("last doctor")
	reg, err := w.registry(p, nil)
	if err == nil {
		err = repair(reg)
	}
	w.must(err == nil, "the last doctor fails: %v", err)
	p.die()
	w.check()
}
