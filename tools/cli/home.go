package cli

import (
	"context"
	"os"
	"path/filepath"

	"containlease/lease"
	"containlease/persist/file"
)

// homeDir resolves the state home as format.md orders it. A relative XDG_STATE_HOME is ignored, as its specification asks.
func (a *app) homeDir() (dir string, err error) {
	if dir, err = a.givenHome(); err == nil {
		a.dir, err = filepath.Abs(dir)
	}
	return dir, err
}

func (a *app) givenHome() (string, error) {
	if a.home != "" {
		return a.home, nil
	}
	if dir := os.Getenv("CONTAINLEASE_HOME"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, program), nil
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", usagef("no state home: give --home, or set CONTAINLEASE_HOME (%w)", err)
	}
	return filepath.Join(user, ".local", "state", program), nil
}

// envTrust stands for --trust-parents.
const envTrust = "CONTAINLEASE_TRUST_PARENTS"

// homeOptions are what the command line says of every home.
func (a *app) homeOptions() []file.Option {
	if a.trustParents || os.Getenv(envTrust) == "1" {
		return []file.Option{file.TrustParents()}
	}
	return nil
}

// leaseOptions are homeOptions, for a registry.
func (a *app) leaseOptions() []lease.Option {
	if home := a.homeOptions(); home != nil {
		return []lease.Option{lease.WithHome(home...)}
	}
	return nil
}

// open opens the home for writing and makes it if it is not there.
func (a *app) open(opts ...lease.Option) (*lease.Registry, error) {
	return a.registry(false, opts...)
}

// read opens an existing home and changes nothing in it.
func (a *app) read(opts ...lease.Option) (*lease.Registry, error) {
	return a.registry(true, append(opts, lease.ReadOnly())...)
}

func (a *app) registry(readOnly bool, opts ...lease.Option) (*lease.Registry, error) {
	dir, err := a.homeDir()
	if err != nil {
		return nil, err
	}
	opts = append(opts, a.leaseOptions()...)
	opts = append(append(opts, lease.WithLogger(a.logger()), lease.WithObserver(a.observe)), a.extra...)
	if a.store != "" {
		return a.inEtcd(dir, readOnly, opts...)
	}
	return lease.Open(context.Background(), dir, opts...)
}

// openExisting opens for writing a home that must be there: looking for what should be mended makes no home.
func (a *app) openExisting(opts ...lease.Option) (*lease.Registry, error) {
	there, err := a.read()
	if err != nil {
		return nil, err
	}
	if err := there.Close(); err != nil {
		return nil, err
	}
	return a.open(opts...)
}

// observe shows a person what takes long or was left undone; everything else is the logger's.
func (a *app) observe(o lease.Observation) {
	switch o.Kind {
	case lease.Waiting:
		a.note("%s", o.Detail)
	case lease.Noted:
		a.note("lease %s: %s", o.Lease, o.Detail)
	}
}
