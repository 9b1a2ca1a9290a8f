package cli

import (
	"context"
	"errors"
	"os"
	"strings"

	"containlease/lease"
	"containlease/persist/etcd"
	"containlease/persist/file"
)

// The environment gives what should not stand on a command line.
const (
	envCA       = "CONTAINLEASE_ETCD_CA"
	envCert     = "CONTAINLEASE_ETCD_CERT"
	envKey      = "CONTAINLEASE_ETCD_KEY"
	envUser     = "CONTAINLEASE_ETCD_USER"
	envPassword = "CONTAINLEASE_ETCD_PASSWORD"
)

// cluster is how to reach the etcd that --store names.
func (a *app) cluster() ([]etcd.Option, error) {
	urls, ok := strings.CutPrefix(a.store, "etcd:")
	if !ok || urls == "" {
		return nil, usagef("--store is etcd:URL[,URL...], as in etcd:https://one:2379,https://two:2379, not %q", a.store)
	}
	opts := []etcd.Option{
		etcd.Endpoints(strings.Split(urls, ",")...),
		etcd.TLSFiles(os.Getenv(envCA), os.Getenv(envCert), os.Getenv(envKey)),
	}
	if user := os.Getenv(envUser); user != "" {
		opts = append(opts, etcd.Login(user, os.Getenv(envPassword)))
	}
	return opts, nil
}

// inEtcd opens the home in dir with its leases in etcd. The machine registers unless it only reads. The connection lives as
// long as the program.
func (a *app) inEtcd(dir string, readOnly bool, opts ...lease.Option) (reg *lease.Registry, err error) {
	cluster, err := a.cluster()
	if err != nil {
		return nil, err
	}
	open := file.Create
	if readOnly {
		open = file.Open
		cluster = append(cluster, etcd.ReadOnly())
	}
	home, err := open(dir, a.homeOptions()...)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, home.Close())
		}
	}()
	machine, err := lease.MachineOf(home, opts...)
	if err != nil {
		return nil, err
	}
	store, err := etcd.Open(context.Background(), machine, cluster...)
	if err != nil {
		return nil, err
	}
	return lease.New(store, home, opts...)
}
