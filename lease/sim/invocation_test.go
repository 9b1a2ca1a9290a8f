//go:build linux || darwin || freebsd

package sim_test

import (
	"errors"
	"fmt"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
)

// role is how an owner goes about its invocation.
type role struct {
	boundary  leasefile.BoundaryKind // none: no host, the owner does its work itself
	exclusive bool
	recover   bool // asks for the doctor first
}

// cast is who acts.
type cast struct {
	owners  []role
	doctors int // one beside each of the first owners
}

// invocation is one owner with what it started, as it truly is.
type invocation struct {
	w     *world
	role  role
	owner *proc
	lost  int // the step at which the owner died or let go of its lease; 0: it looks after it

	id, token string // once its lease was on disk
	handle    *lease.Handle
	inside    bool      // the owner is inside an operation of the handle
	memory    fsm.State // what the handle said last while its owner lived

	gate       *proc
	kids       []*proc // the plugin and what it left
	opened     bool    // the gate was sent its byte
	word       bool    // the gate has said that nothing is left, and has left the note
	gateKilled bool
	hit        bool // by an accident
	ended      bool // the owner came to its regular end
	refused    error
}

func (w *world) addOwner(name string, r role) *invocation {
	i := &invocation{w: w, role: r, owner: w.fork(name), memory: fsm.StateAbsent}
	w.invocations = append(w.invocations, i)
	w.spawn(i.owner, func(a *actor) error {
		err := i.live(a)
		if !a.cut && err == nil {
			i.ended = true
		}
		return err
	})
	return i
}

func (w *world) addDoctor(name string) {
	w.doctors = append(w.doctors, w.spawn(w.fork(name), func(a *actor) error {
		reg, err := w.open(a)
		if err != nil {
			return err
		}
		return repair(reg)
	}))
}

// repair is one round of the doctor.
func repair(reg *lease.Registry) error {
	rows, err := reg.Repair(ctx, lease.RepairOptions{Apply: true})
	for _, row := range rows {
		err = errors.Join(err, row.Err)
	}
	return err
}

// running is what has run of the invocation, or will: what is inside its boundary, and a gate that was sent its byte. A gate that was
// not holds nothing, and the end of its owner is its own.
func (i *invocation) running() []*proc {
	if !i.opened {
		return nil
	}
	return living(append([]*proc{i.gate}, i.kids...)...)
}

func living(all ...*proc) (alive []*proc) {
	for _, p := range all {
		if p != nil && p.alive {
			alive = append(alive, p)
		}
	}
	return alive
}

// fire makes one event of the handle.
func (i *invocation) fire(ev fsm.Event, args ...any) error {
	return i.within(func() error { return i.handle.Event(ctx, ev, args...) })
}

func (i *invocation) within(do func() error) error {
	i.inside = true
	defer func() { i.inside = false }()
	return do()
}

// acquire asks for a lease as the role has it. No lease and no error: it was refused.
func (i *invocation) acquire(a *actor) error {
	reg, err := i.w.open(a)
	if err != nil {
		return err
	}
	var opts []lease.AcquireOption
	if i.role.exclusive {
		opts = append(opts, lease.Exclusive())
	}
	if i.role.recover {
		opts = append(opts, lease.RecoverFirst())
	}
	h, err := reg.Acquire(ctx, plugin, "", opts...)
	if errors.Is(err, lease.ErrBlocked) {
		i.refused = err
		return nil
	}
	i.handle = h
	return err
}

// live is the life of an owner, in the steps of host.Run.
func (i *invocation) live(a *actor) error {
	if err := i.acquire(a); err != nil || i.handle == nil {
		return err
	}
	if i.role.boundary == leasefile.BoundaryKindNone {
		return errors.Join(i.fire(fsm.CleanupComplete), i.fire(fsm.Release))
	}
	if err := i.attend(a); err != nil || a.cut {
		return err
	}
	if i.opened && !i.word && !i.w.mutant.trusting {
		return i.fire(fsm.CleanupUnsafe, errors.New("the gate ended without its word"))
	}
	return errors.Join(i.fire(fsm.CleanupComplete), i.fire(fsm.Release))
}

// attend starts the gate, puts it on record, opens it and waits for its end. An opened gate has run the plugin.
func (i *invocation) attend(a *actor) error {
	if !a.does("starts the gate") {
		return nil
	}
	i.gate = i.w.fork(fmt.Sprint("gate of ", i.owner.name))
	i.w.spawn(i.gate, i.guard)
	if err := i.within(func() error { return i.handle.Enclose(ctx, leasefile.Boundary{Kind: i.role.boundary}, 0) }); err != nil {
		return err
	}
	host := lease.HostOf(i.gate.id)
	if err := i.fire(fsm.HostStarting, host); err != nil {
		return err
	}
	if i.w.mutant.hasty {
		i.openGate(a)
	}
	if err := i.fire(fsm.HostStarted, host); err != nil {
		return err
	}
	i.openGate(a)
	a.waits("waits for the gate's end", func() bool { return !i.gate.alive })
	return nil
}

func (i *invocation) openGate(a *actor) {
	if a.does("opens the gate") && i.gate.alive {
		i.opened = true
	}
}

// loseOwner is the owner's death.
func (i *invocation) loseOwner() {
	i.hit = true
	i.owner.die()
}

// replaceOwner is an owner that executes another program: the process lives on, and looks after nothing.
func (i *invocation) replaceOwner() {
	i.hit = true
	i.owner.lose()
}
