package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (i inspector) Namespaces() (Namespaces, error) {
	proc, err := i.open()
	if err != nil {
		return Namespaces{}, err
	}
	defer proc.close()
	var ns Namespaces
	for name, inode := range map[string]*uint64{"pid": &ns.PID, "time": &ns.Time, "cgroup": &ns.Cgroup} {
		if *inode, err = proc.namespace(name); err != nil {
			return Namespaces{}, noIdentity("%s namespace: %w", name, err)
		}
	}
	return ns, nil
}

// namespace returns the inode of the caller's namespace of a kind, 0 where the
// kernel has no such kind.
func (p *procfs) namespace(kind string) (uint64, error) {
	var st unix.Stat_t
	switch err := unix.Fstatat(p.dir, "self/ns/"+kind, &st, 0); {
	case errors.Is(err, unix.ENOENT):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return st.Ino, nil
}
