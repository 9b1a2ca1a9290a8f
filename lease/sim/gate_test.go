//go:build linux || darwin || freebsd

package sim_test

import (
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist/file"
)

// guard is the life of a gate, in the steps of host.ServeGate. An end of file does not open it.
func (i *invocation) guard(a *actor) error {
	if !a.waits("waits for its byte", func() bool { return i.opened || i.lost > 0 }) {
		return nil
	}
	if i.opened {
		if !a.does("starts the plugin") {
			return nil
		}
		i.w.started(i)
		i.beget(a, "plugin", func(p *actor) error {
			if p.does("leaves a process") {
				i.beget(p, "descendant", func(d *actor) error {
					for range 8 { // long enough for others to overlook it
						d.does("works")
					}
					return nil
				})
			}
			return nil
		})
	}
	for len(living(i.kids...)) > 0 && !i.w.mutant.blind {
		if !a.waits("waits for its children", func() bool { return len(living(i.kids...)) == 0 || i.lost > 0 }) {
			return nil
		}
		for _, p := range living(i.kids...) {
			p.die()
		}
	}
	// A gate that was never opened may outlive its lease; then it may find its note swept away while it writes it.
	if err := i.leaveNote(a); err != nil && i.w.onDisk[i.id] != "" {
		return err
	}
	i.word = !a.cut
	a.does("ends")
	return nil
}

// beget starts a process inside the boundary.
func (i *invocation) beget(a *actor, name string, do func(*actor) error) {
	p := i.w.fork(name + " of " + i.owner.name)
	i.kids = append(i.kids, p)
	i.w.spawn(p, do)
}

// leaveNote is the gate's proof for the doctor, with the real home.
func (i *invocation) leaveNote(a *actor) error {
	a.proc.disk.Watch(a.enter)
	home, err := file.Open(dir, file.On(a.proc.disk))
	if err != nil {
		return err
	}
	defer home.Close()
	note := leasefile.EmptyV1{LeaseID: i.id, Token: i.token, Gate: lease.HostOf(i.gate.id)}
	return home.WriteRecord("owners/"+i.id+".empty", note.AppendCanonical(nil), file.Volatile)
}

// loseGate is the gate's death by a signal. Its child, the plugin, goes with it; what that left lives on, unless the gate was
// the init of their namespace.
func (i *invocation) loseGate() {
	i.gateKilled, i.hit = true, true
	i.gate.die()
	for n, p := range i.kids {
		if p.alive && (n == 0 || i.role.boundary == leasefile.BoundaryKindPIDNamespace) {
			p.die()
		}
	}
}
