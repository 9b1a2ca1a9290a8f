package scene

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/persist/file"

	"github.com/google/uuid"
)

// spareSize is the space that lies beside every lease.
const spareSize = 1645

// Fill puts n healthy host-active leases of other plugins into the home in dir, each with its spare, its lock and its
// evidence, as running invocations leave them. Owner and host of all is this process, which holds their locks until leave.
func Fill(dir string, n int) (leave func() error, err error) {
	home, err := file.Open(dir)
	if err != nil {
		return nil, err
	}
	var held []*file.Liveness
	leave = func() (err error) {
		for _, l := range held {
			err = errors.Join(err, l.Close())
		}
		return errors.Join(err, home.Close())
	}
	err = moreFiles(n)
	a, ierr := newActor()
	if err = errors.Join(err, ierr); err != nil {
		return nil, errors.Join(err, leave())
	}
	for i := range n {
		l := a.lease(fmt.Sprintf("stranger-%d", i%100))
		live, err := home.Claim(l.LeaseID)
		if err != nil {
			return nil, errors.Join(err, leave())
		}
		held = append(held, live)
		if err := a.write(dir, l); err != nil {
			return nil, errors.Join(err, leave())
		}
	}
	return leave, nil
}

// actor plays the owner and the host of leases.
type actor struct {
	self   process.Process
	spaces process.Namespaces
}

func newActor() (a actor, err error) {
	inspector := process.New()
	if a.self, err = inspector.Self(); err != nil {
		return a, err
	}
	a.spaces, err = inspector.Namespaces()
	return a, err
}

func (a actor) lease(plugin string) *leasefile.LeaseV2 {
	host := lease.HostOf(a.self.Identity)
	return &leasefile.LeaseV2{
		LeaseID: uuid.NewString(), RunID: uuid.NewString(), Identity: Identity(plugin),
		AcquiredAt:  time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Containment: leasefile.Containment{Status: leasefile.ContainmentStatusHostActive, Host: &host},
		Owner: leasefile.Owner{PID: a.self.PID, BootID: a.self.BootID, ProcessStartID: a.self.StartID,
			Token: uuid.NewString()},
	}
}

// write puts down what belongs to a lease but its lock.
func (a actor) write(dir string, l *leasefile.LeaseV2) error {
	number := func(n uint64) *int64 { v := int64(n); return &v }
	ev := leasefile.EvidenceV2{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "scene", Version: "1",
		PIDNamespace: number(a.spaces.PID), TimeNamespace: number(a.spaces.Time),
		OwnerInode: number(a.self.Inode), HostInode: number(a.self.Inode),
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindSubreaper}}
	for name, content := range map[string][]byte{
		"leases/" + l.LeaseID + ".json":   l.AppendCanonical(nil),
		"leases/." + l.LeaseID + ".spare": make([]byte, spareSize),
		"owners/" + l.LeaseID + ".json":   ev.AppendCanonical(nil),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
