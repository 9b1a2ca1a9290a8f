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

// Run returns ErrUnsupported and starts nothing.
func Run(context.Context, *lease.Handle, *exec.Cmd, ...Option) (Result, error) {
	return Result{}, ErrUnsupported
}
