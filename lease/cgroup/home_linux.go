package cgroup

import (
	"errors"

	"golang.org/x/sys/unix"
)

// homeAttribute names the home of the lease that a group was made for. Old kernels have none (before
// Linux 5.7), and nothing is decided by it.
const homeAttribute = "user.containlease.home"

// SetHome writes on the group in which home its lease is, for whoever finds it there one day.
func (g *Group) SetHome(dir string) error {
	return unix.Fsetxattr(int(g.dir.Fd()), homeAttribute, []byte(dir), 0)
}

// HomeOf is what SetHome wrote on the group of a place; "" where it is not known.
func HomeOf(p Place) string {
	g, err := Open(p)
	if err != nil {
		return ""
	}
	b := make([]byte, unix.PathMax)
	n, err := unix.Fgetxattr(int(g.dir.Fd()), homeAttribute, b)
	if err = errors.Join(err, g.Close()); err != nil {
		return ""
	}
	return string(b[:n])
}
