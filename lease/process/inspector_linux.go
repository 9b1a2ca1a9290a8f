package process

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// inspector asks one /proc and one kernel. The fields are there for tests.
type inspector struct {
	root  string                          // where procfs is mounted
	magic int64                           // the type of its file system
	pin   func(pid int64) (*Pidfd, error) // pidfd_open
	probe func(pid int64) error           // kill(pid, 0)
}

// New returns the Inspector of this operating system.
func New() Inspector {
	return inspector{root: "/proc", magic: unix.PROC_SUPER_MAGIC, pin: OpenPidfd, probe: probe}
}

func probe(pid int64) error { return unix.Kill(int(pid), 0) }

func (i inspector) Self() (Process, error) {
	proc, err := i.open()
	if err != nil {
		return Process{}, err
	}
	defer proc.close()
	bootID, err := proc.boot()
	if err != nil {
		return Process{}, err
	}
	pid := int64(os.Getpid())
	// Not /proc/<pid>/stat: in another namespace's /proc that is a stranger's.
	stat, err := proc.stat("self", pid)
	if err != nil {
		return Process{}, noIdentity("own start time: %w", err)
	}
	self := Process{Identity: newIdentity(pid, bootID, stat.start)}
	// A kernel without pidfds still has an identity, only a less exact one.
	if pidfd, err := i.pin(pid); err == nil {
		self.Inode = pidfd.Inode()
		_ = pidfd.Close()
	}
	return self, nil
}

func (i inspector) Lookup(pid int64) (Process, error) {
	proc, err := i.open()
	if err != nil {
		return Process{}, err
	}
	defer proc.close()
	bootID, err := proc.boot()
	if err != nil {
		return Process{}, err
	}
	if pid < 1 || pid > maxPID {
		return Process{}, ErrNotFound
	}
	seen := i.observe(proc, pid)
	switch {
	case seen.exited, seen.missing():
		return Process{}, ErrNotFound
	case seen.err() != nil:
		return Process{}, noIdentity("pid %d: %w", pid, seen.err())
	}
	return Process{Identity: newIdentity(pid, bootID, seen.stat.start), Inode: seen.inode}, nil
}

// Hold pins the number first. What is proved of the number then is true of the pinned process, if that lives on.
func (i inspector) Hold(id Identity, inode uint64) (*Pidfd, error) {
	pidfd, err := i.pin(id.PID)
	if err != nil {
		return nil, err
	}
	status, fact := i.Status(id, inode)
	exited, err := pidfd.Exited()
	switch {
	case status == Live && err == nil && !exited:
		return pidfd, nil
	case status == Unknown, err != nil:
		err = noIdentity("pid %d: %w", id.PID, cmp.Or(err, errors.New(fact)))
	default:
		err = fmt.Errorf("pid %d: %s: %w", id.PID, fact, ErrNotFound)
	}
	_ = pidfd.Close()
	return nil, err
}

func (i inspector) Boot() (string, error) {
	proc, err := i.open()
	if err != nil {
		return "", err
	}
	defer proc.close()
	return proc.boot()
}

// observe collects what can be seen of a pid. The order is the proof: the pidfd
// pins the pid first, so a process that has not exited at the end is the one
// that everything in between was read of.
func (i inspector) observe(proc *procfs, pid int64) observation {
	var seen observation
	pidfd, err := i.pin(pid)
	if err != nil {
		seen.pinErr = err
		seen.stat, seen.statErr = proc.statOf(pid)
		seen.killErr = i.probe(pid)
		return seen
	}
	defer func() { _ = pidfd.Close() }()
	seen.inode = pidfd.Inode()
	seen.stat, seen.statErr = proc.statOf(pid)
	seen.exited, seen.exitErr = pidfd.Exited()
	return seen
}

// observation is what was seen of one pid.
type observation struct {
	pinErr  error // why the pid could not be pinned
	inode   uint64
	stat    stat
	statErr error
	exited  bool // of the pinned process
	exitErr error
	killErr error // asked only where it could not be pinned
}

// missing is the proof that no process has the pid. It takes both: hidepid hides
// the living from /proc, and a filter on system calls may answer for the kernel.
// /proc says ESRCH instead of ENOENT of what ended while it was read.
func (o observation) missing() bool {
	return errors.Is(o.killErr, unix.ESRCH) &&
		(errors.Is(o.statErr, unix.ENOENT) || errors.Is(o.statErr, unix.ESRCH))
}

// err is what keeps the observation from being complete.
func (o observation) err() error { return cmp.Or(o.pinErr, o.statErr, o.exitErr) }
