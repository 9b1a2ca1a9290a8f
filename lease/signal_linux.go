package lease

import (
	"slices"
	"syscall"

	"containlease/gen/leasefile"
	"containlease/lease/cgroup"
	"containlease/lease/process"
	"containlease/lease/verdict"
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
	if i.Facts.BoundaryInhabited && i.Facts.Boundary == string(leasefile.BoundaryKindCgroupV2) {
		_ = killGroup(groupOf(i.Evidence)) // what is left is seen, and tried again
	}
	s.toEach(i, func(fd *process.Pidfd, _ target) { _ = fd.Signal(syscall.SIGKILL) })
}

func killGroup(p cgroup.Place) error {
	g, err := cgroup.Open(p)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.Kill()
}

// toHost signals the host if it is exactly the one on record.
func (s *stopper) toHost(i Inspection, sig syscall.Signal) {
	l, ok := i.Lease.(*leasefile.LeaseV2)
	if !ok || l.Containment.Host == nil || i.Life.Host == 0 {
		return
	}
	inode := evidenceInode(i.Evidence, true)
	hold(i.Life.Host, func(fd *process.Pidfd) bool {
		if inode != 0 && fd.Inode() == inode {
			return true
		}
		status, _ := s.r.opt.inspector.Status(hostIdentity(*l.Containment.Host), inode)
		return i.Facts.Place == verdict.PlaceSame && status == process.Live
	}, func(fd *process.Pidfd) { _ = fd.Signal(sig) })
}

// toEach holds on to each member of the group and each carrier that still is one, and hands it over. The host is none of them.
func (s *stopper) toEach(i Inspection, do func(*process.Pidfd, target)) {
	for some := range slices.Chunk(i.Life.Members, atATime) {
		toMembers(groupOf(i.Evidence), some, do)
	}
	for _, c := range i.Life.Carriers {
		if c.PID == i.Life.Host {
			continue
		}
		hold(c.PID, func(*process.Pidfd) bool {
			status, _ := s.r.opt.inspector.Status(c.Identity, c.Inode)
			return status == process.Live
		}, func(fd *process.Pidfd) { do(fd, target{c.PID, fd.Inode()}) })
	}
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

// hold takes hold of the process with a number, makes sure that it is the one that is meant, and does something with it. The
// order is the proof: while the process that was taken hold of lives, its number is nobody else's.
func hold(pid int64, is func(*process.Pidfd) bool, do func(*process.Pidfd)) {
	fd, err := process.OpenPidfd(pid)
	if err != nil {
		return
	}
	defer fd.Close()
	if !is(fd) {
		return
	}
	if exited, err := fd.Exited(); err == nil && !exited {
		do(fd)
	}
}
