package memory

import (
	"bytes"
	"iter"
	"maps"
	"slices"
)

// Subsets bounds the changes of one directory of which a power loss keeps every subset; older ones it keeps or loses
// together.
const Subsets = 10

// Crashes yields a disk for every state that a power loss at this moment may leave, see the package. Some of them may look
// alike, see [Disk.State]. Each is a disk of its own, with nothing pending and no process.
func (d *Disk) Crashes() iter.Seq[*Disk] {
	return func(yield func(*Disk) bool) {
		still := d.Killed() // whatever happens to d meanwhile
		w := &wreck{root: still.root, inodes: still.inodes, names: map[*node]map[string]*node{}, contents: map[*node][]byte{}}
		for _, dir := range still.root.below((*node).namesOf) {
			w.dirs = append(w.dirs, choice{dir, dir.outcomes()})
			for _, n := range dir.names {
				if n.moved {
					w.moved = append(w.moved, n)
				}
			}
		}
		w.overDirs(0, yield)
	}
}

// wreck walks the choices of what survives.
type wreck struct {
	root   *node
	inodes uint64
	dirs   []choice
	moved  []*node

	// The present choice.
	names    map[*node]map[string]*node
	contents map[*node][]byte
}

type choice struct {
	dir      *node
	outcomes []map[string]*node
}

// below returns all directories that some choice of names may lead to, the first is n.
func (n *node) below(choices func(*node) []map[string]*node) []*node {
	dirs := []*node{n}
	seen := map[*node]bool{n: true}
	for i := 0; i < len(dirs); i++ {
		for _, names := range choices(dirs[i]) {
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if child := names[name]; child.isDir && !seen[child] {
					seen[child] = true
					dirs = append(dirs, child)
				}
			}
		}
	}
	return dirs
}

// namesOf is every name that the directory may have after a power loss, in several maps.
func (n *node) namesOf() []map[string]*node {
	all := []map[string]*node{n.settledNames}
	for _, c := range n.pending {
		names := map[string]*node{}
		c.apply(names)
		all = append(all, names)
	}
	return all
}

// outcomes is every distinct set of names that a power loss may leave.
func (n *node) outcomes() (distinct []map[string]*node) {
	old := max(0, len(n.pending)-Subsets)
	starts := []map[string]*node{n.settledNames}
	if old > 0 {
		kept := maps.Clone(n.settledNames)
		for _, c := range n.pending[:old] {
			c.apply(kept)
		}
		starts = append(starts, kept)
	}
	recent := n.pending[old:]
	for _, start := range starts {
		for subset := range 1 << len(recent) {
			names := maps.Clone(start)
			for i, c := range recent {
				if subset>>i&1 == 1 {
					c.apply(names)
				}
			}
			if !slices.ContainsFunc(distinct, func(m map[string]*node) bool { return maps.Equal(m, names) }) {
				distinct = append(distinct, names)
			}
		}
	}
	return distinct
}

// remains is every distinct content that a power loss may leave of a file.
func (n *node) remains() [][]byte {
	if !n.dirty {
		return [][]byte{n.settled}
	}
	half := n.from + (len(n.data)-n.from)/2
	torn := slices.Clone(n.data[:half])
	if len(n.settled) > half {
		torn = append(torn, n.settled[half:]...)
	}
	zeros := append(slices.Clone(n.data[:n.from]), make([]byte, len(n.data)-n.from)...)
	var distinct [][]byte
	for _, content := range [][]byte{n.settled, n.data, torn, zeros} {
		if !slices.ContainsFunc(distinct, func(b []byte) bool { return bytes.Equal(b, content) }) {
			distinct = append(distinct, content)
		}
	}
	return distinct
}

// overDirs chooses the names of directory i and all after it, and then the contents of what they lead to.
func (w *wreck) overDirs(i int, yield func(*Disk) bool) bool {
	if i == len(w.dirs) {
		return slices.ContainsFunc(w.moved, w.nameless) || w.overFiles(w.dirtyFiles(), yield)
	}
	for _, names := range w.dirs[i].outcomes {
		w.names[w.dirs[i].dir] = names
		if !w.overDirs(i+1, yield) {
			return false
		}
	}
	return true
}

func (w *wreck) nameless(n *node) bool {
	for _, names := range w.names {
		for _, other := range names {
			if other == n {
				return false
			}
		}
	}
	return true
}

// dirtyFiles are the files that the chosen names lead to and whose content is not settled.
func (w *wreck) dirtyFiles() (files []*node) {
	for _, dir := range w.root.below(func(n *node) []map[string]*node { return []map[string]*node{w.names[n]} }) {
		for _, name := range slices.Sorted(maps.Keys(w.names[dir])) {
			if n := w.names[dir][name]; n.dirty && !slices.Contains(files, n) {
				files = append(files, n)
			}
		}
	}
	return files
}

func (w *wreck) overFiles(files []*node, yield func(*Disk) bool) bool {
	if len(files) == 0 {
		return yield(w.disk())
	}
	for _, content := range files[0].remains() {
		w.contents[files[0]] = content
		if !w.overFiles(files[1:], yield) {
			return false
		}
	}
	return true
}
