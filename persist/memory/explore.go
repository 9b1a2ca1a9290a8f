package memory

import "fmt"

// Explorer visits what crashes leave, and counts. One explorer serves one goroutine; a visit may explore in turn, so that
// recovery is crashed too. The first violation ends everything.
type Explorer struct {
	Points   int   // moments at which a crash was tried
	States   int   // that it may leave, over all moments
	Distinct int   // of them visited: no two with equal disks and equal expectations
	Err      error // the first violation, with the way to it
	seen     map[string]bool
}

// Follow visits the disks that a crash leaves before each call of p from now on, wherever the disk or the expectation changed
// since the last one: the killed one, and those of a power loss. expect says in words what must hold of a disk at that moment; a
// disk that was visited with the same words is not visited again. fault may be nil; it then decides about the call, see
// [Process.Watch]. Call the returned function at the end, for the last moment.
func (x *Explorer) Follow(p *Process, expect func() string, visit func(after *Disk) error, fault func(Call) error) (end func()) {
	var changes uint64
	var expected string
	at := func(c Call) {
		now, must := p.d.Changes(), expect()
		if x.Err == nil && (now != changes || must != expected) {
			changes, expected = now, must
			x.explore(p.d, must, fmt.Sprintf("%s %s", c.Op, c.Name), visit)
		}
	}
	p.Watch(func(c Call) error {
		at(c)
		if fault == nil {
			return nil
		}
		return fault(c)
	})
	return func() { at(Call{Op: "the end"}); p.Watch(nil) }
}

func (x *Explorer) explore(d *Disk, expect, before string, visit func(*Disk) error) {
	if x.seen == nil {
		x.seen = map[string]bool{}
	}
	x.Points++
	one := func(after *Disk, what string) bool {
		x.States++
		key := expect + "\x00" + after.State()
		if x.seen[key] {
			return true
		}
		x.seen[key] = true
		x.Distinct++
		if err := visit(after); err != nil && x.Err == nil {
			x.Err = fmt.Errorf("%s before %s, expecting %s: %w", what, before, expect, err)
		}
		return x.Err == nil
	}
	if !one(d.Killed(), "killed") {
		return
	}
	for after := range d.Crashes() {
		if !one(after, "power lost") {
			return
		}
	}
}
