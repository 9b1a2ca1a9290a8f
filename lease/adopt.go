package lease

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"containlease/gen/leasefile"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
)

// ruleOtherMachine is the rule of an adoption's audit line: the ladder's rung that it ends.
const ruleOtherMachine = "other-machine"

// Adopt makes the home in dir this machine's, on an operator's word that it was moved or copied here and that nothing which
// its leases are about still runs elsewhere: from then on they are judged by this machine's boots and processes. The word is
// written to the home's AuditLog, durably, before the record of the machine is replaced, under a new machine id, since a copy
// must not go by its original's name. The home must exist; it is opened and closed. Options: WithHome, WithClock.
//
// ErrInvalid: a reason that cannot be written down. A *DecisionError refuses it: ErrNotForThis where the home is this machine's
// already, ErrInUse where somebody holds the liveness lock of a lease. Others: those of Open; ErrUnsettled.
func Adopt(ctx context.Context, dir, reason string, opts ...Option) (err error) {
	r := &Registry{opt: newOptions(opts)}
	there, err := file.Open(dir, r.opt.home...)
	if err == nil {
		err = there.Close()
	}
	if err != nil {
		return err
	}
	if r.home, err = file.Create(dir, r.opt.home...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.store = r.home.Store()
	if err := r.adoptable(); err != nil {
		return err
	}
	if err := checkReason(reason); err != nil {
		return err
	}
	line := leasefile.AuditV1{Action: leasefile.AuditActionAdopt, Rule: ruleOtherMachine, Reason: reason}
	if err := r.Audit(ctx, line); err != nil {
		return err
	}
	return r.takeOver()
}

// takeOver replaces the record of the machine. That needs syncs, and so is done without the catalogue lock: until it is
// done nobody may open the home for writing, and of two who adopt it at a time both put it right.
func (r *Registry) takeOver() error {
	host, err := hostDigest(r.home)
	if err != nil {
		return err
	}
	m := leasefile.HomeV1{MachineID: uuid.NewString(), HostSHA256: host}
	if err := r.home.WriteRecord(machineRecord, m.AppendCanonical(nil), file.Durable); err != nil {
		return fmt.Errorf("the home %s is not adopted: %w", r.home.Dir(), err)
	}
	r.tell(Observation{Kind: Decided, Detail: "adopt: " + r.home.Dir()})
	return nil
}

// adoptable says why the home may not be adopted.
func (r *Registry) adoptable() error {
	d := decision{action: leasefile.AuditActionAdopt}
	home := Inspection{ID: r.home.Dir()}
	if _, err := r.home.ReadRecord(machineRecord); err != nil && !errors.Is(err, persist.ErrNotExist) {
		return err // what cannot be read just now may well say that it is ours
	}
	if r.sameMachine() {
		return d.refusal(home, ErrNotForThis, "the home is this machine's already")
	}
	names, err := r.home.RecordNames("owners")
	if err != nil {
		return err
	}
	for _, name := range names {
		id := strings.TrimSuffix(path.Base(name), path.Ext(name))
		held, err := r.home.Probe(id)
		if err != nil && !errors.Is(err, persist.ErrNotExist) {
			return err
		}
		if held == file.Held {
			return d.refusal(home, ErrInUse, "the liveness lock of lease "+id+" is held: its owner is alive")
		}
	}
	return nil
}
