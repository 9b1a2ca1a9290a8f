package process

import (
	"encoding/binary"
	"errors"
	"time"
	"unsafe"

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
	ns.PIDID = proc.ownNamespaceID()
	ns.InitInode, ns.InitStartID = i.first(proc)
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

// first names the init of the caller's PID namespace, as far as it may be looked at.
func (i inspector) first(proc *procfs) (inode uint64, startID string) {
	if pidfd, err := i.pin(1); err == nil {
		inode = pidfd.Inode()
		_ = pidfd.Close()
	}
	bootID, err := proc.boot()
	if err != nil {
		return inode, ""
	}
	if s, err := proc.statOf(1); err == nil {
		startID = newIdentity(1, bootID, s.start).StartID
	}
	return inode, startID
}

// What the kernel's headers say of the handle of a namespace (Linux 6.18): its
// type is FILEID_NSFS, its bytes are id, kind and number.
const handleOfNamespace, handleSize = 0xf1, 16

// getNamespaceID is the request NS_GET_ID.
const getNamespaceID = 0x8008b70d

// ownNamespaceID returns the kernel's id of the caller's PID namespace, which is
// never given twice in a boot; 0 where there are no such ids.
func (p *procfs) ownNamespaceID() (id uint64) {
	_ = p.inNamespace(func(fd int) error {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), getNamespaceID, uintptr(unsafe.Pointer(&id)))
		if errno != 0 {
			id = 0
		}
		return nil
	})
	return id
}

// inNamespace opens the caller's PID namespace.
func (p *procfs) inNamespace(do func(fd int) error) error {
	fd, err := unix.Openat(p.dir, "self/ns/pid", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

// tidying is how long the kernel may need after the last process of a namespace
// was reaped until the namespace is gone, and untidied how often it is asked.
const tidying, untidied = 10 * time.Millisecond, 25

// NamespaceEnded asks for the namespace by its handle. Only "stale" says that
// there is none; one that is there opens, or is refused to who is not in it. The
// same question about the caller's own is what makes the answer worth something.
// An answer other than that proof takes a quarter of a second, for the same
// question is to have the same answer whether it comes at once or later.
func (i inspector) NamespaceEnded(id, number uint64) bool {
	proc, err := i.open()
	if err != nil || id == 0 || number == 0 || number > 1<<32-1 {
		return false
	}
	defer proc.close()
	ended := false
	_ = proc.inNamespace(func(fd int) error {
		own, err := proc.namespace("pid")
		if err != nil {
			return err
		}
		for range untidied {
			if err := askFor(fd, proc.ownNamespaceID(), own); err != nil {
				return err
			}
			if ended = askFor(fd, id, number) == unix.ESTALE; ended {
				return nil
			}
			time.Sleep(tidying)
		}
		return nil
	})
	return ended
}

// askFor opens a PID namespace by id and number, and lets go of it.
func askFor(fd int, id, number uint64) error {
	b := make([]byte, 0, handleSize)
	b = binary.NativeEndian.AppendUint64(b, id)
	b = binary.NativeEndian.AppendUint32(b, unix.CLONE_NEWPID)
	b = binary.NativeEndian.AppendUint32(b, uint32(number))
	opened, err := unix.OpenByHandleAt(fd, unix.NewFileHandle(handleOfNamespace, b), unix.O_RDONLY|unix.O_CLOEXEC)
	if err == nil {
		_ = unix.Close(opened)
	}
	return err
}
