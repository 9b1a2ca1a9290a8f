//go:build !linux

package host

import (
	"context"
	"os/exec"

	"containlease/lease"
)

// Supported returns nil where Run can prove an end, else ErrUnsupported.
func Supported() error { return ErrUnsupported }

// GateMain does nothing here: there is no gate.
func GateMain() {}

// ServeGate returns ErrUnsupported.
func ServeGate(int) error { return ErrUnsupported }

// Choose returns ErrUnsupported.
func Choose(...Option) (Choice, error) { return Choice{}, ErrUnsupported }

// Prepared is a command that somebody else starts; there is none on this system.
type Prepared struct{}

// Prepare returns ErrUnsupported and changes nothing.
func Prepare(context.Context, *lease.Handle, *exec.Cmd, ...Option) (*Prepared, error) {
	return nil, ErrUnsupported
}

// Finish returns ErrUnsupported.
func (*Prepared) Finish(context.Context) (Result, error) { return Result{}, ErrUnsupported }

// Cancel returns ErrUnsupported.
func (*Prepared) Cancel() (Result, error) { return Result{}, ErrUnsupported }

// Run returns ErrUnsupported and starts nothing.
func Run(context.Context, *lease.Handle, *exec.Cmd, ...Option) (Result, error) {
	return Result{}, ErrUnsupported
}
