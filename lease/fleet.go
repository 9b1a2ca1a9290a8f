package lease

import (
	"fmt"

	"containlease/gen/leasefile"
	"containlease/persist/file"
)

// MachineOf names the machine of home for a store that many machines share, such as persist/etcd: the home's random machine
// id, the present boot and PID namespace. A new home is settled in first; a copied one is refused with ErrOtherHome, so that a clone
// that boots does not take the name of the original and fence it out. Options: ReadOnly (the home is not settled in) and
// WithInspector. Errors: ErrOtherHome, ErrNoIdentity where the boot cannot be told for certain.
func MachineOf(home *file.Home, opts ...Option) (leasefile.MachineV1, error) {
	r := &Registry{home: home, opt: newOptions(opts)}
	if r.opt.readOnly && !r.sameMachine() {
		return leasefile.MachineV1{}, fmt.Errorf("%w: %s", ErrOtherHome, home.Dir())
	}
	if !r.opt.readOnly {
		if err := r.settleIn(); err != nil {
			return leasefile.MachineV1{}, err
		}
	}
	b, err := home.ReadRecord(machineRecord)
	if err != nil {
		return leasefile.MachineV1{}, err
	}
	m, err := leasefile.DecodeHomeV1File(b)
	if err != nil {
		return leasefile.MachineV1{}, fmt.Errorf("%w: %s: %w", ErrInvalid, machineRecord, err)
	}
	boot, err := r.opt.inspector.Boot()
	if err != nil {
		return leasefile.MachineV1{}, err
	}
	ns, err := r.opt.inspector.Namespaces()
	if err != nil {
		return leasefile.MachineV1{}, err
	}
	return leasefile.MachineV1{MachineID: m.MachineID, BootID: boot, PIDNamespace: nullable(ns.PID)}, nil
}
