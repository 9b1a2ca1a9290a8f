package memory

import (
	"errors"
	"sync"
	"syscall"

	"containlease/persist/internal/disk"
)

// ErrKilled is the answer to every call of a process that was killed.
var ErrKilled = errors.New("the simulated process was killed")

// ErrDropped is for a hook: the call is not made and answered with success. A sync left out, for instance.
var ErrDropped = errors.New("the call is dropped")

// Call is what a hook sees of a call to the disk.
type Call struct {
	Op   string // the method of the interface; a Rename is Rename, RenameExclusive or Exchange
	Name string // the name it is about; "" where there is only a descriptor, and for a nameless file
}

// Process is one simulated process: descriptors, and the locks that they hold. It goes to file.On. Safe for concurrent use.
type Process struct {
	d *Disk

	watch sync.RWMutex
	hook  func(Call) error

	// Guarded by d.mu.
	open map[int]*handle
	next int
	dead bool
}

var _ disk.System = (*Process)(nil)

// handle is an open file description. Locks belong to it.
type handle struct {
	n      *node
	access disk.Access
}

// Process starts a process.
func (d *Disk) Process() *Process { return &Process{d: d, open: map[int]*handle{}, next: 3} }

// Watch has hook called before every call from now on, by the goroutine that makes it and under no lock, so that it may look at
// the disk, and wait. An error of the hook is answered instead of the call. nil ends that.
func (p *Process) Watch(hook func(Call) error) {
	p.watch.Lock()
	defer p.watch.Unlock()
	p.hook = hook
}

// Kill ends the process: descriptors are closed, locks are free, and whatever it still tries is ErrKilled and does
// nothing. What it wrote stays visible, settled or not.
func (p *Process) Kill() {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	p.dead = true
	for fd := range p.open {
		p.release(fd)
	}
}

// Descriptors counts what is open.
func (p *Process) Descriptors() int {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	return len(p.open)
}

// call asks the hook and makes the call. The disk is locked while do runs.
func (p *Process) call(op, name string, do func() error) error {
	p.watch.RLock()
	hook := p.hook
	p.watch.RUnlock()
	if hook != nil {
		switch err := hook(Call{op, name}); {
		case errors.Is(err, ErrDropped):
			return nil
		case err != nil:
			return err
		}
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if p.dead {
		return ErrKilled
	}
	return do()
}

// on is call for a descriptor.
func (p *Process) on(op string, fd int, do func(h *handle) error) error {
	return p.call(op, "", func() error {
		h, ok := p.open[fd]
		if !ok {
			return syscall.EBADF
		}
		return do(h)
	})
}

// in is call for a name in a directory.
func (p *Process) in(op string, dir int, name string, do func(d *node, name string) error) error {
	return p.call(op, name, func() error {
		d, name, err := p.locate(dir, name)
		if err != nil {
			return err
		}
		return do(d, name)
	})
}

func (p *Process) descriptor(n *node, a disk.Access) int {
	fd := p.next
	p.next++
	p.open[fd] = &handle{n, a}
	return fd
}

func (p *Process) release(fd int) {
	p.open[fd].n.locks.letGo(p.open[fd])
	delete(p.open, fd)
}

// Close closes the descriptor and gives back its locks.
func (p *Process) Close(fd int) error {
	return p.on("Close", fd, func(*handle) error { p.release(fd); return nil })
}
