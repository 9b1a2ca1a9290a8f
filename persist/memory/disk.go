package memory

import (
	"maps"
	"sync"
)

// Disk holds files and directories. Safe for concurrent use.
type Disk struct {
	mu      sync.Mutex
	root    *node
	inodes  uint64
	changes uint64 // also the clock
}

// NewDisk returns an empty disk with a root directory.
func NewDisk() *Disk {
	d := &Disk{}
	d.root = d.newNode(true)
	return d
}

// Changes counts what was changed or settled so far: while it stands still, a power loss leaves the same states.
func (d *Disk) Changes() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// node is one file or directory. What its descriptors see is volatile; what is settled survives.
type node struct {
	ino          uint64
	isDir        bool
	links        int
	mtime, ctime int64

	data, settled []byte // content is replaced as a whole, never written in place
	dirty         bool   // data is not settled
	from          int    // where the first byte that is not settled stands
	forgotten     bool   // a sync failed: data will never be settled

	names, settledNames map[string]*node
	pending             []change // from settledNames to names
	blind               bool     // a sync failed and nothing was changed since: the next one settles nothing

	moved bool // to another directory: a power loss may leave both names, never none
	locks lockable
}

// change is what happens to some names of a directory at once.
type change []binding

type binding struct {
	name string
	to   *node // nil: the name goes
}

func (c change) apply(names map[string]*node) {
	for _, b := range c {
		if b.to == nil {
			delete(names, b.name)
		} else {
			names[b.name] = b.to
		}
	}
}

func (d *Disk) newNode(isDir bool) *node {
	d.inodes++
	n := &node{ino: d.inodes, isDir: isDir, mtime: d.tick(), ctime: d.tick()}
	if isDir {
		n.names, n.settledNames = map[string]*node{}, map[string]*node{}
	}
	return n
}

func (d *Disk) tick() int64 {
	d.changes++
	return int64(d.changes)
}

// bind changes names of dir, visible at once and not settled.
func (d *Disk) bind(dir *node, c change) {
	for _, b := range c {
		if was := dir.names[b.name]; was != nil {
			was.links--
			was.moved = false
			was.ctime = d.tick()
		}
		if b.to != nil {
			b.to.links++
			b.to.ctime = d.tick()
		}
	}
	c.apply(dir.names)
	dir.pending, dir.blind = append(dir.pending, c), false
	dir.mtime = d.tick()
}

// write replaces the content from an offset on, visible at once and not settled.
func (d *Disk) write(n *node, data []byte, from int) {
	if !n.dirty || from < n.from {
		n.from = from
	}
	n.data, n.dirty = data, true
	n.mtime = d.tick()
	n.ctime = n.mtime
}

// settle makes content or names durable, unless an earlier failure has forgotten them. Of a file without a name it settles
// nothing, as on btrfs before Linux 6.18: the name that the file gets later may have no bytes.
func (d *Disk) settle(n *node) {
	switch {
	case n.isDir && !n.blind:
		n.settledNames, n.pending = maps.Clone(n.names), nil
	case !n.isDir && !n.forgotten && n.links > 0:
		n.settled, n.dirty = n.data, false
	}
	d.tick()
}

// forget is a sync that failed.
func (d *Disk) forget(n *node) {
	n.blind, n.forgotten = true, true
	d.tick()
}
