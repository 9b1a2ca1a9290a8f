//go:build !linux

package process

import "runtime"

// inspector admits what it cannot prove. Nothing on these systems has been
// measured to name a process exactly, and a guess would be taken for proof.
type inspector struct{}

// New returns the Inspector of this operating system: one that can tell processes
// of another boot where there is a boot id, and knows nothing else.
func New() Inspector { return inspector{} }

func (inspector) Self() (Process, error) { return Process{}, unproved() }

func (inspector) Lookup(int64) (Process, error) { return Process{}, unproved() }

func (inspector) Boot() (string, error) { return boot() }

func (inspector) Namespaces() (Namespaces, error) { return Namespaces{}, nil }

// Look sees nobody, and says so.
func (inspector) Look(string) Census { return Census{Err: unproved()} }

func (inspector) Clock() uint64 { return 0 }

func (inspector) Hold(Identity, uint64) (*Pidfd, error) { return nil, unproved() }

func (inspector) NamespaceEnded(uint64, uint64) bool { return false }

func (inspector) Status(id Identity, _ uint64) (Status, string) {
	if flaw := id.flaw(); flaw != "" {
		return Unknown, flaw
	}
	switch bootID, err := boot(); {
	case err != nil:
		return Unknown, err.Error()
	case bootID != id.BootID:
		return Dead, "of another boot"
	}
	return Unknown, unproved().Error()
}

func unproved() error {
	return noIdentity("%s has no proof of it that this program knows", runtime.GOOS)
}
