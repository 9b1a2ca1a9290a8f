package lease

import (
	"slices"
	"syscall"

	"containlease/gen/leasefile"
	"containlease/lease/cgroup"
	"containlease/lease/process"
)

// target is a process that was asked to end, for as long as it has its number.
type target struct {
	pid   int64
	inode uint64
}

// ask sends TERM, once to each, to the members of the group and to whoever carries the mark; and has all of them, and the gate, go
// on if they were stopped. The gate has asked everybody when it saw the owner's end, and waits for its own grace: it is not
// hurried yet.
func (s *stopper) ask(i Inspection) {
	s.toHost(i, syscall.SIGCONT)
	s.toEach(i, func(fd *process.Pidfd, t target) {
		if !s.asked[t] {
			s.asked[t] = true
			_ = fd.Signal(syscall.SIGTERM)
			_ = fd.Signal(syscall.SIGCONT)
		}
	})
}

// kill has the gate end its grace, which kills what it waits for and leaves the proof; kills the group at one stroke, and the init
// of a PID namespace, whose end is the proof; and whoever carries the mark. A gate that could prove something is never killed.
func (s *stopper) kill(i Inspection) {
	s.toHost(i, syscall.SIGCONT)
	if i.Facts.Boundary == string(leasefile.BoundaryKindPIDNamespace) {
		s.toHost(i, syscall.SIGKILL)
	} else {
		s.toHost(i, syscall.SIGTERM)
	}
	if group, ok := GroupOf(i.Evidence); ok && i.Facts.BoundaryInhabited {
		_ = cgroup.KillPlace(group) // what is left is seen, and tried again
	}
	s.toEach(i, func(fd *process.Pidfd, _ target) { _ = fd.Signal(syscall.SIGKILL) })
}

// toHost signals the host if it is exactly the one on record.
func (s *stopper) toHost(i Inspection, sig syscall.Signal) {
	l, ok := i.Lease.(*leasefile.LeaseV2)
	if !ok || l.Containment.Host == nil || i.Life.Host == 0 {
		return
	}
	id := hostIdentity(*l.Containment.Host)
	id.PID = i.Life.Host // in another PID namespace it has another number, and is known by its inode
	s.hold(process.Process{Identity: id, Inode: evidenceInode(i.Evidence, true)}, func(fd *process.Pidfd) { _ = fd.Signal(sig) })
}

// toEach holds on to each member of the group and each carrier that still is one, and hands it over. The host is none of them.
func (s *stopper) toEach(i Inspection, do func(*process.Pidfd, target)) {
	if group, ok := GroupOf(i.Evidence); ok {
		for some := range slices.Chunk(i.Life.Members, atATime) {
			toMembers(group, some, do)
		}
	}
	for _, c := range i.Life.Carriers {
		if c.PID == i.Life.Host {
			continue
		}
		s.hold(c, func(fd *process.Pidfd) { do(fd, target{c.PID, fd.Inode()}) })
	}
}

// hold does something with a process that is proved to be the one that is meant.
func (s *stopper) hold(p process.Process, do func(*process.Pidfd)) {
	fd, err := s.r.opt.inspector.Hold(p.Identity, p.Inode)
	if err != nil {
		return // it has ended, or is seen again by the next look
	}
	defer fd.Close()
	do(fd)
}

// atATime bounds how many processes are held at once, by a descriptor each.
const atATime = 200

// toMembers takes hold of some members of a group first, and asks then who is in it.
func toMembers(p cgroup.Place, pids []int64, do func(*process.Pidfd, target)) {
	held := map[int64]*process.Pidfd{}
	for _, pid := range pids {
		if fd, err := process.OpenPidfd(pid); err == nil {
			held[pid] = fd
			defer fd.Close()
		}
	}
	now, _, err := cgroup.Members(p)
	if err != nil {
		return
	}
	for pid, fd := range held {
		if exited, err := fd.Exited(); err == nil && !exited && slices.Contains(now, pid) {
			do(fd, target{pid, fd.Inode()})
		}
	}
}
