package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
)

// disk builds the disk of one choice.
func (w *wreck) disk() *Disk {
	d := &Disk{}
	copied := map[*node]*node{}
	var survivor func(n *node) *node
	survivor = func(n *node) *node {
		if c := copied[n]; c != nil {
			return c
		}
		c := d.newNode(n.isDir)
		c.ino = n.ino
		copied[n] = c
		for _, name := range slices.Sorted(maps.Keys(w.names[n])) {
			s := survivor(w.names[n][name])
			s.links++
			c.names[name], c.settledNames[name] = s, s
		}
		if !n.isDir {
			c.data = n.settled
			if n.dirty {
				c.data = w.contents[n]
			}
			c.settled = c.data
		}
		return c
	}
	d.root = survivor(w.root)
	d.inodes = w.inodes
	return d
}

// Killed returns this disk as a kill of every process leaves it: all that was visible is visible, what was pending is pending.
func (d *Disk) Killed() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := &Disk{inodes: d.inodes, changes: d.changes}
	copied := map[*node]*node{nil: nil}
	var again func(n *node) *node
	mapped := func(names map[string]*node) map[string]*node {
		m := make(map[string]*node, len(names))
		for name, n := range names {
			m[name] = again(n)
		}
		return m
	}
	again = func(n *node) *node {
		if c, ok := copied[n]; ok {
			return c
		}
		c := new(node)
		copied[n] = c
		*c = *n
		c.locks = lockable{}
		if !n.isDir {
			return c
		}
		c.names, c.settledNames, c.pending = mapped(n.names), mapped(n.settledNames), nil
		for _, ch := range n.pending {
			var bound change
			for _, b := range ch {
				bound = append(bound, binding{b.name, again(b.to)})
			}
			c.pending = append(c.pending, bound)
		}
		return c
	}
	k.root = again(d.root)
	return k
}

// State names what is on the disk: names, contents, and what of them is pending. Disks with equal states have equal
// futures, but for inode numbers and times.
func (d *Disk) State() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := state{sum: sha256.New(), number: map[*node]int{nil: -1}}
	s.add(d.root)
	return hex.EncodeToString(s.sum.Sum(nil))
}

type state struct {
	sum    hash.Hash
	number map[*node]int // in order of discovery
}

func (s *state) add(n *node) {
	if number, ok := s.number[n]; ok {
		fmt.Fprintln(s.sum, "seen", number)
		return
	}
	s.number[n] = len(s.number)
	if !n.isDir {
		fmt.Fprintf(s.sum, "file %t %t %d %d\n", n.dirty, n.forgotten, len(n.data), len(n.settled))
		s.sum.Write(n.data)
		if n.dirty {
			s.sum.Write(n.settled)
		}
		return
	}
	fmt.Fprintln(s.sum, "directory", n.blind && len(n.pending) > 0, len(n.names), len(n.settledNames), len(n.pending))
	s.addNames(n.names)
	if len(n.pending) == 0 {
		return
	}
	s.addNames(n.settledNames)
	for _, c := range n.pending {
		fmt.Fprintln(s.sum, "change", len(c))
		for _, b := range c {
			fmt.Fprintf(s.sum, "%q %t\n", b.name, b.to == nil)
			s.add(b.to)
		}
	}
}

func (s *state) addNames(names map[string]*node) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(s.sum, "%q\n", name)
		s.add(names[name])
	}
}
