package memory

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"containlease/persist/internal/disk"
)

// device is the number of every disk in memory; none that a kernel gives.
const device = 1<<63 - 1

func (n *node) info() disk.Info {
	i := disk.Info{
		Inode: disk.Inode{Dev: device, Ino: n.ino}, Mode: 0o600, UID: uint32(os.Geteuid()),
		Links: uint64(n.links), Size: int64(len(n.data)), Mtime: n.mtime, Ctime: n.ctime,
	}
	if n.isDir {
		i.Mode = fs.ModeDir | 0o700
	}
	return i
}

// Stat looks at what is open.
func (p *Process) Stat(fd int) (i disk.Info, err error) {
	err = p.on("Stat", fd, func(h *handle) error { i = h.n.info(); return nil })
	return i, err
}

// Lstat looks at what has the name.
func (p *Process) Lstat(dir int, name string) (i disk.Info, err error) {
	err = p.in("Lstat", dir, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		if err == nil {
			i = n.info()
		}
		return err
	})
	return i, err
}

// content is on for a file that is to be read, or written.
func (p *Process) content(op string, fd int, write bool, do func(n *node)) error {
	return p.on(op, fd, func(h *handle) error {
		switch {
		case h.n.isDir:
			return syscall.EISDIR
		case write && h.access == disk.Reading:
			return syscall.EBADF
		}
		do(h.n)
		return nil
	})
}

// Pread reads at an offset; 0 bytes at the end.
func (p *Process) Pread(fd int, b []byte, at int64) (m int, err error) {
	err = p.content("Pread", fd, false, func(n *node) {
		if at < int64(len(n.data)) {
			m = copy(b, n.data[at:])
		}
	})
	return m, err
}

// Pwrite writes at an offset.
func (p *Process) Pwrite(fd int, b []byte, at int64) (int, error) {
	return len(b), p.content("Pwrite", fd, true, func(n *node) { p.d.overlay(n, b, int(at)) })
}

// Append writes at the end.
func (p *Process) Append(fd int, b []byte) (int, error) {
	return len(b), p.content("Append", fd, true, func(n *node) { p.d.overlay(n, b, len(n.data)) })
}

func (d *Disk) overlay(n *node, b []byte, at int) {
	data := make([]byte, max(len(n.data), at+len(b)))
	copy(data, n.data)
	copy(data[at:], b)
	d.write(n, data, at)
}

// Truncate sets the size.
func (p *Process) Truncate(fd int, size int64) error {
	return p.content("Truncate", fd, true, func(n *node) {
		data := make([]byte, size)
		copy(data, n.data)
		p.d.write(n, data, int(size))
	})
}

// Reserve changes nothing: there is space for everything.
func (p *Process) Reserve(fd int, _ int64) error {
	return p.content("Reserve", fd, true, func(*node) {})
}

// SetMtime sets the time of the last change.
func (p *Process) SetMtime(dir int, name string, nanoseconds int64) error {
	return p.in("SetMtime", dir, name, func(d *node, name string) error {
		n, err := d.lookUp(name)
		if err == nil {
			n.mtime, n.ctime = nanoseconds, p.d.tick()
		}
		return err
	})
}

// SyncData settles the content of a file.
func (p *Process) SyncData(fd int) error { return p.sync("SyncData", fd) }

// Sync settles the content of a file, or the names in a directory.
func (p *Process) Sync(fd int) error { return p.sync("Sync", fd) }

func (p *Process) sync(op string, fd int) error {
	made := false
	err := p.on(op, fd, func(h *handle) error { made = true; p.d.settle(h.n); return nil })
	if err != nil && !made {
		p.d.mu.Lock()
		defer p.d.mu.Unlock()
		if h, ok := p.open[fd]; ok {
			p.d.forget(h.n)
		}
	}
	return err
}

// Filesystem calls itself "memory": known, and writing in place.
func (p *Process) Filesystem(fd int) (f disk.Filesystem, err error) {
	err = p.on("Filesystem", fd, func(*handle) error {
		f = disk.Filesystem{Name: "memory", Known: true, Overwrites: true, Cuts: disk.CutsTried}
		return nil
	})
	return f, err
}

// Born is not told, as on old file systems.
func (p *Process) Born(fd int) (int64, error) {
	return 0, p.on("Born", fd, func(*handle) error { return errors.ErrUnsupported })
}
