package lease

import "containlease/gen/leasefile"

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
