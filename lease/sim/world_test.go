//go:build linux || darwin || freebsd

package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/file"
	"containlease/persist/memory"
)

const dir = "/home"

var ctx = context.Background()

// world is one machine: its disk, its process table, who acts on it, and what is true.
type world struct {
	*stage
	cast        cast
	mutant      mutant
	disk        *memory.Disk
	boot        string
	boots       int
	table       map[int64]*proc // the last to have each number
	lastPID     int64
	invocations []*invocation
	doctors     []*actor
	accidents   int
	most        int // accidents that may befall it
	said        int // how often a handle has said something new

	eye      *file.Home // reads the disk behind everybody's back
	seenAt   uint64
	onDisk   map[string]fsm.State
	violated error
}

// proc is one process, alive or dead.
type proc struct {
	w     *world
	name  string
	id    process.Identity
	alive bool
	disk  *memory.Process // its files and locks
	actor *actor
}

// newWorld starts a machine with a home that is there.
func newWorld(c cast, m mutant, home *memory.Disk) *world {
	w := &world{stage: &stage{parked: make(chan struct{})}, cast: c, mutant: m, table: map[int64]*proc{}, lastPID: 99, most: 3}
	w.power(home.Killed())
	for n, o := range c.owners {
		w.addOwner(fmt.Sprint("owner ", n+1), o)
		if n < c.doctors {
			w.addDoctor(fmt.Sprint("doctor ", n+1))
		}
	}
	return w
}

// power is a boot from a disk.
func (w *world) power(d *memory.Disk) {
	w.boots++
	w.disk, w.boot = d, process.Digest("boot", fmt.Sprint(w.boots))
	w.table = map[int64]*proc{}
	eye, err := file.Open(dir, file.On(d.Process()))
	w.must(err == nil, "the home cannot be opened: %v", err)
	w.eye, w.onDisk, w.seenAt = eye, map[string]fsm.State{}, 0
}

// must keeps the first violation.
func (w *world) must(holds bool, format string, args ...any) {
	if !holds {
		w.fail(format, args...)
	}
}

func (w *world) fail(format string, args ...any) {
	if w.violated == nil {
		w.violated = fmt.Errorf("step %d: "+format, append([]any{w.step}, args...)...)
	}
}

// fork makes a process.
func (w *world) fork(name string) *proc {
	w.lastPID++
	return w.forkAs(w.lastPID, name)
}

// forkAs makes a process with a number that nobody alive has.
func (w *world) forkAs(pid int64, name string) *proc {
	w.changes++
	start := process.Digest("start", fmt.Sprint(w.boots, " ", w.changes, " ", pid))
	p := &proc{w: w, name: name, id: process.Identity{PID: pid, BootID: w.boot, StartID: start}, alive: true, disk: w.disk.Process()}
	w.table[pid] = p
	return p
}

// die ends a process.
func (p *proc) die() {
	p.alive = false
	p.lose()
}

// lose ends a process's program: the kernel closes its files and frees its locks.
func (p *proc) lose() {
	p.w.changes++
	p.w.unlocks++
	p.disk.Kill()
	if p.actor != nil {
		p.actor.cut = true
	}
	for _, i := range p.w.invocations {
		if i.owner == p && i.lost == 0 {
			i.lost = p.w.step
		}
	}
}

// open is how a process opens the home: the real code, its calls watched.
func (w *world) open(a *actor) (*lease.Registry, error) {
	a.proc.disk.Watch(func(c memory.Call) error {
		if err := a.enter(c); err != nil {
			return err
		}
		if w.mutant.call != nil {
			return w.mutant.call(a, c)
		}
		return nil
	})
	return w.registry(a.proc, a)
}

// registry is a registry for a process. Without an actor nobody can come in between.
func (w *world) registry(p *proc, a *actor) (*lease.Registry, error) {
	home, err := file.Create(dir, file.On(p.disk))
	if err != nil {
		return nil, err
	}
	var store persist.Store = home.Store()
	if w.mutant.store != nil {
		store = w.mutant.store(p, home.Store())
	}
	return lease.New(store, home, lease.WithInspector(eyes{p, a}), lease.WithClock(func() time.Time { return time.Unix(0, 0) }))
}

// eyes is the process table as a process may ask about it.
type eyes struct {
	proc *proc
	a    *actor // nil: nobody can come in between
}

func (e eyes) Self() (process.Process, error)                      { return process.Process{Identity: e.proc.id}, nil }
func (e eyes) Boot() (string, error)                               { return e.proc.id.BootID, nil }
func (eyes) Look(string) process.Census                            { return process.Census{} }
func (eyes) Clock() uint64                                         { return 0 }
func (eyes) Hold(process.Identity, uint64) (*process.Pidfd, error) { return nil, process.ErrNotFound }
func (eyes) NamespaceEnded(uint64, uint64) bool                    { return false }
func (e eyes) Namespaces() (process.Namespaces, error) {
	return process.Namespaces{PID: 1, Time: 2, Cgroup: 3}, nil
}

func (e eyes) Lookup(int64) (process.Process, error) { return process.Process{}, process.ErrNotFound }

// Status compares exact identities, as the real one does.
func (e eyes) Status(id process.Identity, _ uint64) (process.Status, string) {
	if e.a != nil && !e.a.does("status") {
		return process.Unknown, "the asker is dead"
	}
	w := e.proc.w
	p := w.table[id.PID]
	alive := p != nil && p.alive && p.id == id
	if w.mutant.status != nil {
		alive = w.mutant.status(e.proc, p, id, alive)
	}
	if alive {
		return process.Live, "it is in the table"
	}
	return process.Dead, "it is not in the table"
}

var sum = persist.DigestOf([]byte("anything")).String()

var plugin = leasefile.OperationIdentity{
	AdapterID: "acme", BundleSHA256: sum, ContractVersion: 1, DescriptorSHA256: sum, ManifestSHA256: sum,
	Operation: "posts.list", PluginID: "acme", PluginVersion: "1.0.0", SurfaceID: "acme-web",
	Transport: leasefile.TransportProviderAPI,
}

// counted makes ids that are in the order of their making, so that the same schedule lists leases in the same order.
type counted struct{ n atomic.Uint32 }

func (c *counted) Read(b []byte) (int, error) {
	clear(b)
	binary.BigEndian.PutUint32(b, c.n.Add(1))
	return len(b), nil
}
