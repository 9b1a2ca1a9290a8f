package etcd_test

import (
	"context"
	"fmt"
	"os"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist/etcd"
	"containlease/persist/file"
)

// One invocation whose lease is in etcd, seen by the fleet's reader before and after.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "containlease-example-")
	check(err)
	defer os.RemoveAll(dir)
	url := endpoint()

	home, err := file.Create(dir)
	check(err)
	machine, err := lease.MachineOf(home) // refuses a copied home: a clone must not fence out the original
	check(err)
	store, err := etcd.Open(ctx, machine, etcd.Endpoints(url)) // and etcd.TLSFiles, etcd.Login
	check(err)
	reg, err := lease.New(store, home)
	check(err)
	defer store.Close()
	defer reg.Close()

	h, err := reg.Acquire(ctx, identity(), "")
	check(err)
	standing(ctx, h.ID())
	check(h.Event(ctx, fsm.CleanupComplete))
	standing(ctx, h.ID())
	check(h.Release(ctx))
	standing(ctx, h.ID())
	// Output:
	// uncontained
	// complete
}

// standing prints what the fleet's reader says of a lease, if it is there.
func standing(ctx context.Context, id string) {
	fleet, err := etcd.OpenFleet(ctx, etcd.Endpoints(endpoint()))
	check(err)
	defer fleet.Close()
	for r, err := range fleet.List(ctx) {
		check(err)
		if r.Key == id {
			fmt.Println(r.Standing)
		}
	}
}

func identity() leasefile.OperationIdentity { return etcd.SampleIdentity() }

func endpoint() string { return etcd.SharedServer() }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
