package memory

import (
	"maps"
	"slices"
	"strings"
	"syscall"

	"containlease/persist/internal/disk"
)

// locate finds the directory and the last component of name: beside dir, or of an absolute path. The last component of
// the root itself is ".".
func (p *Process) locate(dir int, name string) (*node, string, error) {
	at := p.d.root
	if dir >= 0 {
		h, ok := p.open[dir]
		if !ok {
			return nil, "", syscall.EBADF
		}
		at = h.n
	}
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(s string) bool { return s == "" || s == "." })
	if len(parts) == 0 {
		parts = []string{"."}
	}
	last := len(parts) - 1
	for _, part := range parts[:last] {
		if at = at.names[part]; at == nil {
			return nil, "", syscall.ENOENT
		}
		if !at.isDir {
			return nil, "", syscall.ENOTDIR
		}
	}
	if !at.isDir {
		return nil, "", syscall.ENOTDIR
	}
	return at, parts[last], nil
}

func (n *node) lookUp(name string) (*node, error) {
	if name == "." {
		return n, nil
	}
	if found := n.names[name]; found != nil {
		return found, nil
	}
	return nil, syscall.ENOENT
}

// OpenDir opens a directory.
func (p *Process) OpenDir(dir int, name string) (int, error) {
	return p.openAs("OpenDir", dir, name, disk.Reading, true)
}

// Open opens a file. A directory opens for reading only.
func (p *Process) Open(dir int, name string, a disk.Access) (int, error) {
	return p.openAs("Open", dir, name, a, false)
}

func (p *Process) openAs(op string, dir int, name string, a disk.Access, wantDir bool) (fd int, err error) {
	fd = -1
	err = p.in(op, dir, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		switch {
		case err != nil:
			return err
		case wantDir && !n.isDir:
			return syscall.ENOTDIR
		case n.isDir && a != disk.Reading:
			return syscall.EISDIR
		}
		fd = p.descriptor(n, a)
		return nil
	})
	return fd, err
}

// Create makes a file, with a name or without.
func (p *Process) Create(dir int, name string) (fd int, err error) {
	fd = -1
	err = p.call("Create", name, func() error {
		d, last, err := p.locate(dir, name)
		if err != nil {
			return err
		}
		if name != "" && d.names[last] != nil {
			return syscall.EEXIST
		}
		n := p.d.newNode(false)
		if name != "" {
			p.d.bind(d, change{{last, n}})
		}
		fd = p.descriptor(n, disk.Writing)
		return nil
	})
	return fd, err
}

// Mkdir makes a directory.
func (p *Process) Mkdir(dir int, name string) error {
	return p.in("Mkdir", dir, name, func(d *node, name string) error {
		if _, err := d.lookUp(name); err == nil {
			return syscall.EEXIST
		}
		p.d.bind(d, change{{name, p.d.newNode(true)}})
		return nil
	})
}

// Link gives a nameless file its name.
func (p *Process) Link(fd, dir int, name string) error {
	return p.in("Link", dir, name, func(d *node, name string) error {
		h, ok := p.open[fd]
		switch {
		case !ok:
			return syscall.EBADF
		case h.n.isDir || h.n.links > 0:
			return syscall.EPERM // it is asked of nameless files only
		case d.names[name] != nil:
			return syscall.EEXIST
		}
		p.d.bind(d, change{{name, h.n}})
		return nil
	})
}

// Rename changes both names in one step.
func (p *Process) Rename(dir int, from, to string, how disk.Renaming) error {
	op := [...]string{disk.Over: "Rename", disk.Exclusive: "RenameExclusive", disk.Exchange: "Exchange"}[how]
	return p.in(op, dir, to, func(d *node, to string) error {
		was, there := d.names[from], d.names[to]
		switch {
		case was == nil || how == disk.Exchange && there == nil:
			return syscall.ENOENT
		case how == disk.Exclusive && there != nil:
			return syscall.EEXIST
		case was == there:
			return nil
		case how == disk.Exchange:
			p.d.bind(d, change{{from, there}, {to, was}})
			return nil
		case there != nil && there.isDir:
			return syscall.EISDIR
		}
		p.d.bind(d, change{{from, nil}, {to, was}})
		return nil
	})
}

// Unlink takes the name of a file away.
func (p *Process) Unlink(dir int, name string) error {
	return p.in("Unlink", dir, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		switch {
		case err != nil:
			return err
		case n.isDir:
			return syscall.EISDIR
		}
		p.d.bind(d, change{{name, nil}})
		return nil
	})
}

// Move renames to another directory. For a power loss that is two changes.
func (p *Process) Move(from int, name string, to int, as string) error {
	return p.in("Move", from, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		if err != nil {
			return err
		}
		other, as, err := p.locate(to, as)
		switch {
		case err != nil:
			return err
		case other.names[as] != nil:
			return syscall.EEXIST
		}
		p.d.bind(other, change{{as, n}})
		p.d.bind(d, change{{name, nil}})
		n.moved = true
		return nil
	})
}

// Names lists a directory, in an order that nobody should rely on.
func (p *Process) Names(dir int) (names []string, err error) {
	err = p.on("Names", dir, func(h *handle) error {
		if !h.n.isDir {
			return syscall.ENOTDIR
		}
		names = slices.Sorted(maps.Keys(h.n.names))
		slices.Reverse(names)
		return nil
	})
	return names, err
}

// Rmdir removes an empty directory.
func (p *Process) Rmdir(dir int, name string) error {
	return p.in("Rmdir", dir, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		switch {
		case err != nil:
			return err
		case !n.isDir:
			return syscall.ENOTDIR
		case len(n.names) > 0:
			return syscall.ENOTEMPTY
		}
		p.d.bind(d, change{{name, nil}})
		return nil
	})
}

// Readlink finds no links: there are none.
func (p *Process) Readlink(dir int, name string) (string, error) {
	return "", p.in("Readlink", dir, name, func(*node, string) error { return syscall.EINVAL })
}
