//go:build !linux

package cgroup

import (
	"context"
	"time"
)

const reason = "control groups are Linux's"

// Group is an open group; there are none here.
type Group struct{}

// Own returns ErrUnavailable.
func Own() (string, error) { return "", ErrUnavailable }

// Try returns ErrUnavailable.
func Try() error { return ErrUnavailable }

// Make returns ErrUnavailable.
func Make(string, string) (*Group, error) { return nil, ErrUnavailable }

// Open returns ErrUnavailable.
func Open(Place) (*Group, error) { return nil, ErrUnavailable }

// Remove returns ErrUnavailable.
func Remove(Place) error { return ErrUnavailable }

// HomeOf knows nothing.
func HomeOf(Place) string { return "" }

// Members returns ErrUnavailable.
func Members(Place) ([]int64, int, error) { return nil, 0, ErrUnavailable }

// KillPlace returns ErrUnavailable.
func KillPlace(Place) error { return ErrUnavailable }

// Litter returns ErrUnavailable.
func Litter(context.Context, Scope) ([]Place, error) { return nil, ErrUnavailable }

// Clear returns ErrUnavailable.
func Clear(Place) (bool, error) { return false, ErrUnavailable }

// Look knows nothing.
func Look(Place) (State, string) { return Unknown, reason }

// Place is the zero Place.
func (*Group) Place() Place { return Place{} }

// FD is -1.
func (*Group) FD() int { return -1 }

// Close does nothing.
func (*Group) Close() error { return nil }

// SetHome returns ErrUnavailable.
func (*Group) SetHome(string) error { return ErrUnavailable }

// Hold returns ErrUnavailable.
func (*Group) Hold() error { return ErrUnavailable }

// Kill returns ErrUnavailable.
func (*Group) Kill() error { return ErrUnavailable }

// Remove returns ErrUnavailable.
func (*Group) Remove() error { return ErrUnavailable }

// Await returns ErrUnavailable.
func (*Group) Await(time.Duration) (bool, error) { return false, ErrUnavailable }
