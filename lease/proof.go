package lease

import (
	"errors"
	"fmt"

	"containlease/gen/leasefile"
	"containlease/lease/cgroup"
	"containlease/lease/verdict"
)

// ErrOccupied: a control group that should be empty has a process in it, so nothing of it is removed.
var ErrOccupied = cgroup.ErrOccupied

// proof is what a boundary says of itself: that nothing is left in it, that something is, or neither. closed: that it is empty is
// said of those too who left it, as far as the gate could wait for them.
type proof struct {
	vacant, inhabited, closed bool
	fact                      string
}

// proofs has one function per kind of boundary. They are about this boot; the ladder sees to that, and to a live owner or
// host, before it looks here.
var proofs = map[leasefile.BoundaryKind]func(*Registry, view, *Inspection, *leasefile.LeaseV2) proof{
	leasefile.BoundaryKindProcessGroup: func(*Registry, view, *Inspection, *leasefile.LeaseV2) proof {
		return proof{fact: "a process group proves nothing"}
	},
	leasefile.BoundaryKindSubreaper:    (*Registry).noteProof,
	leasefile.BoundaryKindPIDNamespace: (*Registry).pidNamespaceProof,
	leasefile.BoundaryKindCgroupV2:     (*Registry).controlGroupProof,
}

// askBoundary asks the recorded boundary for its proof, and keeps the fact in words.
func (r *Registry) askBoundary(v view, i *Inspection, l *leasefile.LeaseV2) {
	ask, known := proofs[leasefile.BoundaryKind(i.Facts.Boundary)]
	if !known {
		return
	}
	p := ask(r, v, i, l)
	i.Words = append(i.Words, "boundary "+i.Facts.Boundary+": "+p.fact)
	i.Facts.BoundaryEmpty, i.Facts.BoundaryInhabited, i.Facts.BoundaryClosed = p.vacant, p.inhabited, p.closed
}

// noteProof is the note that the gate left when nothing was left to wait for. It is good only of that very gate, as
// recorded, and of a lease that had no host yet.
func (r *Registry) noteProof(_ view, i *Inspection, l *leasefile.LeaseV2) proof {
	b, err := r.home.ReadRecord("owners/" + i.ID + ".empty")
	if err != nil {
		return proof{fact: "its gate left no note"}
	}
	note, err := leasefile.DecodeEmptyV1File(b)
	h := l.Containment.Host
	if err != nil || note.LeaseID != i.ID || note.Token != l.Owner.Token || h != nil && note.Gate != *h {
		return proof{fact: "there is a note, but not of its gate"}
	}
	return proof{vacant: true, closed: true, fact: "its gate noted that nothing was left"}
}

// pidNamespaceProof is the death of the host: it was the namespace's init, and before an init is dead the kernel has killed
// everything inside. Until the host is on record, its note speaks for it.
func (r *Registry) pidNamespaceProof(v view, i *Inspection, l *leasefile.LeaseV2) proof {
	switch {
	case !i.Facts.HostRecorded:
		return r.noteProof(v, i, l)
	case i.Facts.Host == verdict.Dead:
		return proof{vacant: true, closed: true, fact: "its init is dead"}
	case i.Facts.Host == verdict.Live:
		return proof{inhabited: true, fact: "its init is alive"}
	}
	return proof{fact: "it cannot be told whether its init is alive"}
}

// controlGroupProof is the kernel's account of the group. That a process is in it counts from wherever it is seen, for the group is
// known by its inode; that none is, only where paths of groups mean what they meant to the owner. It knows nothing of who left the
// group; the gate's note does.
func (r *Registry) controlGroupProof(v view, i *Inspection, l *leasefile.LeaseV2) proof {
	p, _ := GroupOf(i.Evidence)
	state, fact := cgroup.Look(p)
	if state == cgroup.Populated {
		return proof{inhabited: true, fact: fact}
	}
	if n := fromNullable(i.Evidence.CgroupNamespace); n == 0 || n != v.namespaces.Cgroup {
		return proof{fact: "it was made in another cgroup namespace, where paths mean other groups"}
	}
	if state == cgroup.Gone || state == cgroup.Vacant {
		return proof{vacant: true, closed: r.noteProof(v, i, l).closed, fact: fact}
	}
	return proof{fact: fact}
}

// PlaceOf is the control group of a boundary of kind cgroup-v2. It has no chain: see GroupOf.
func PlaceOf(b leasefile.Boundary) cgroup.Place {
	return cgroup.Place{Path: b.Path, Inode: uint64(b.Inode), ParentInode: uint64(b.ParentInode)}
}

// dissolve removes what is left of the boundary on record, before its lease is removed: what then remains has no name any
// more. ErrOccupied where a process is in it after all. left is any other reason why it could not be removed: then an empty
// directory remains, which is worth a word and nothing more.
func dissolve(e *leasefile.EvidenceV2) (left, err error) {
	p, ok := GroupOf(e)
	if !ok {
		return nil, nil
	}
	err = cgroup.Remove(p)
	if err == nil || errors.Is(err, cgroup.ErrOccupied) {
		return nil, err
	}
	return fmt.Errorf("%s: %w", p.Path, err), nil
}

// dissolve removes the boundary of a lease that is about to be removed, as dissolve does: of an earlier boot nothing is left. Where
// it is not known which boot this is, that of the lease or another, nothing is touched, and all of it is left.
func (i Inspection) dissolve() (left, err error) {
	switch p, ok := GroupOf(i.Evidence); {
	case i.Facts.OwnerBootCurrent:
		return dissolve(i.Evidence)
	case ok && !i.Facts.BootReliable:
		return fmt.Errorf("%s: which boot this is cannot be told from here", p.Path), nil
	}
	return nil, nil
}

// noteLeft tells of a boundary whose remains could not be removed. No lock is held.
func (r *Registry) noteLeft(id string, left error) {
	if left != nil {
		r.tell(Observation{Kind: Noted, Lease: id, Err: left,
			Detail: "its control group is left behind; a doctor that finds it empty removes it: " + left.Error()})
	}
}
