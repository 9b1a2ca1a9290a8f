package lease

import (
	"containlease/gen/leasefile"
	"containlease/lease/cgroup"
)

// lift is evidence of any version as one of today's: what an older one did not say is not known.
func lift(any leasefile.Evidence) *leasefile.EvidenceV2 {
	switch e := any.(type) {
	case *leasefile.EvidenceV2:
		return e
	case *leasefile.EvidenceV1:
		return &leasefile.EvidenceV2{
			Boundary: e.Boundary, CgroupNamespace: e.CgroupNamespace, Exclusive: e.Exclusive,
			HostInode: e.HostInode, LeaseID: e.LeaseID, OwnerInode: e.OwnerInode,
			PIDNamespace: e.PIDNamespace, TimeNamespace: e.TimeNamespace, Token: e.Token,
			Tool: e.Tool, Version: e.Version,
		}
	}
	return &leasefile.EvidenceV2{}
}

// GroupOf is the control group on record, with its chain where there is one; ok is false for any other
// boundary, and for no evidence. The place means what it says on the boot of the lease's owner.
func GroupOf(e *leasefile.EvidenceV2) (p cgroup.Place, ok bool) {
	if e == nil || e.Boundary.Kind != leasefile.BoundaryKindCgroupV2 {
		return p, false
	}
	p = PlaceOf(e.Boundary)
	if e.BoundaryChain != nil {
		p.Chain = *e.BoundaryChain
	}
	return p, true
}
