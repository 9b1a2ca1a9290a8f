//go:build linux || darwin || freebsd

package sim_test

import (
	"containlease/persist/memory"
)

// option is one thing that may happen next: a turn of somebody, or an accident.
type option struct {
	turn     *actor // nil: an accident
	accident string
	to       *actor // whom it befalls; nil: everybody
	happens  func()
}

func (o option) word() memory.Call {
	if o.to == nil {
		return memory.Call{Op: o.accident}
	}
	return memory.Call{Op: o.accident, Name: o.to.proc.name}
}

// chooser picks one of the options of a step. The first one is always a turn: of whoever had the last one, and else of the
// first who can go on.
type chooser func(w *world, options []option) int

// play runs a world to its end, or to its first violation.
func (w *world) play(choose chooser) error {
	for w.violated == nil {
		options := w.options()
		if len(options) == 0 {
			break
		}
		w.step++
		o := options[choose(w, options)]
		if o.turn != nil {
			w.run(o.turn)
		} else {
			w.accidents++
			w.trace = append(w.trace, event{"ACCIDENT", o.word()})
			o.happens()
		}
		w.bury()
		w.check()
		w.must(w.step < longest, "stranded: %v", errEndless)
	}
	for _, a := range w.actors {
		w.must(a.done, "stranded: %s waits for ever: %s %s", a.proc.name, a.next.Op, a.next.Name)
	}
	if w.violated == nil {
		w.finish()
	}
	for _, a := range w.actors {
		a.proc.die()
	}
	w.bury()
	return w.violated
}

// options is whose turn may be next, and then what may go wrong. There are none once everybody is done or waits for ever.
func (w *world) options() (may []option) {
	if c := w.current; c != nil && c.enabled() {
		may = append(may, option{turn: c})
	}
	for _, a := range w.actors {
		if a != w.current && a.enabled() {
			may = append(may, option{turn: a})
		}
	}
	if len(may) == 0 || w.accidents >= w.most {
		return may
	}
	return w.addAccidents(may)
}

// addAccidents comes after the turns: a schedule names options by their place.
func (w *world) addAccidents(may []option) []option {
	add := func(what string, to *actor, do func()) {
		may = append(may, option{accident: what, to: to, happens: do})
	}
	for _, i := range w.invocations {
		if i.owner.alive && i.lost == 0 && i.owner.actor.steps > 0 {
			add("kill", i.owner.actor, i.loseOwner)
			add("exec", i.owner.actor, i.replaceOwner)
		}
		if i.gate != nil && i.gate.alive {
			add("kill", i.gate.actor, i.loseGate)
		}
		for _, p := range []*proc{i.owner, i.gate} {
			if p != nil && !p.alive && w.table[p.id.PID] == p && w.onDisk[i.id] != "" {
				add("reuse the number", p.actor, func() { w.forkAs(p.id.PID, "stranger") })
			}
		}
	}
	for _, d := range w.doctors {
		if d.proc.alive && d.steps > 0 {
			add("kill", d, d.proc.die)
		}
	}
	if w.boots == 1 {
		add("power loss, nothing pending is kept", nil, func() { w.outage(0) })
		add("power loss, some of it is kept", nil, func() { w.outage(w.step % mostStates) })
		add("power loss, all of it is kept", nil, func() { w.outage(all) })
	}
	return may
}

// outage is a power loss that leaves the n-th of the states it may leave, and a boot.
func (w *world) outage(n int) {
	for _, i := range w.invocations {
		i.hit = true
	}
	for _, p := range w.table {
		p.die()
	}
	w.bury()
	w.check() // what was visible until now
	if w.violated != nil {
		return
	}
	before := w.onDisk
	w.power(after(w.disk, n))
	w.survived(before)
	w.addDoctor("later doctor")
	w.addOwner("later owner", role{boundary: "none"})
}

const (
	mostStates = 64 // of a power loss, that are told apart
	all        = -1 // everything that was visible is kept
)

// after is the n-th disk that a power loss may leave, or the last one where there are fewer.
func after(d *memory.Disk, n int) (left *memory.Disk) {
	if n == all {
		return d.Killed()
	}
	for left = range d.Crashes() {
		if n--; n < 0 {
			break
		}
	}
	return left
}
