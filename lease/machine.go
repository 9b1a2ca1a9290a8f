package lease

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"containlease/gen/leasefile"
	"containlease/lease/process"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
)

const machineRecord = "machine.json"

// hostDigest names the machine that a home lies on: its machine id where it has one, and when the home's directory was made,
// which a copy does not share. On overlayfs the directory's inode number does not outlast a remount or a dropped cache, so
// it stands in only where the file system does not tell that time. Device numbers change at boot, and what only root can read
// would make two answers. What is there and cannot be read just now is no answer at all: a wrong one would be kept for ever.
func hostDigest(home *file.Home) (string, error) {
	born, err := home.Born()
	if err != nil {
		return "", fmt.Errorf("which machine this is: %w", err)
	}
	if born == 0 {
		return digestBy(home.Inode(), "")
	}
	return digestBy(uint64(born), "born ")
}

func digestBy(mark uint64, kind string) (string, error) {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("which machine this is: %w", err)
	}
	text := strings.TrimSpace(string(id)) + "\x00" + kind + strconv.FormatUint(mark, 10)
	return process.Digest("containlease-host", text), nil
}

// madeHere tells whether a home's record names this machine, by either of the ways in which it was ever written.
func madeHere(home *file.Home, m *leasefile.HomeV1) (bool, error) {
	old, err := digestBy(home.Inode(), "")
	if err != nil || m.HostSHA256 == old {
		return err == nil, err
	}
	host, err := hostDigest(home)
	return err == nil && m.HostSHA256 == host, err
}

// settleIn makes the machine's record of a new home, or checks that an old one is this machine's.
func (r *Registry) settleIn() error {
	b, err := r.home.ReadRecord(machineRecord)
	if errors.Is(err, persist.ErrNotExist) {
		return r.newMachine()
	}
	if err != nil {
		return err
	}
	m, err := leasefile.DecodeHomeV1File(b)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrInvalid, machineRecord, err)
	}
	here, err := madeHere(r.home, m)
	if err != nil {
		return err
	}
	if !here {
		return fmt.Errorf("%w: %s was made elsewhere, copied or moved; its processes cannot be judged here: "+
			"use it where it was made, or start with an empty directory", ErrOtherHome, r.home.Dir())
	}
	// Whoever made it may have died before its sync; leases that outlive it would be nobody's.
	return r.home.EnsureRecord(machineRecord)
}

// newMachine writes the record, unless another process was faster.
func (r *Registry) newMachine() error {
	names, err := r.home.RecordNames("owners")
	if err != nil {
		return err
	}
	if len(names) > 0 {
		// Whoever has an owner's file here had the record before it: another process may just have made both.
		if _, err := r.home.ReadRecord(machineRecord); err == nil {
			return r.settleIn()
		}
		return fmt.Errorf("%w: %s has leases but no %s, so nobody can say where they were made",
			ErrOtherHome, r.home.Dir(), machineRecord)
	}
	host, err := hostDigest(r.home)
	if err != nil {
		return err
	}
	m := leasefile.HomeV1{MachineID: uuid.NewString(), HostSHA256: host}
	err = r.home.CreateRecord(machineRecord, m.AppendCanonical(nil), file.Durable)
	if err == nil || errors.Is(err, persist.ErrExists) {
		return r.settleIn()
	}
	return err
}

// sameMachine reports whether the home belongs to this machine, as far as can be read.
func (r *Registry) sameMachine() bool {
	b, err := r.home.ReadRecord(machineRecord)
	if err != nil {
		return false
	}
	m, err := leasefile.DecodeHomeV1File(b)
	if err != nil {
		return false
	}
	here, err := madeHere(r.home, m)
	return err == nil && here
}
