package lease_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
)

// home is a new home for an example, and a registry that has it open.
func home(opts ...lease.Option) (r *lease.Registry, remove func()) {
	dir, err := os.MkdirTemp("", "containlease-example-")
	if err != nil {
		log.Fatal(err)
	}
	r, err = lease.Open(context.Background(), filepath.Join(dir, "home"), append(opts, lease.WithInspector(newWorld()))...)
	if err != nil {
		log.Fatal(err)
	}
	return r, func() { r.Close(); os.RemoveAll(dir) }
}

// One invocation, from acquire to release. Package lease/host does all of this for an *exec.Cmd.
func Example() {
	reg, remove := home(lease.WithObserver(func(o lease.Observation) { fmt.Println(o.Event, "->", o.To) })) // lease.Open(ctx, dir)
	defer remove()
	ctx, identity := context.Background(), identityOf("acme")

	h, err := reg.Acquire(ctx, identity, "")
	check(err) // a *lease.BlockedError says which lease is in the way, and what to type next

	host := lease.HostOf(process.Identity{PID: 4711, BootID: digest("boot"), StartID: digest("start")})
	check(h.Event(ctx, fsm.HostStarting, host)) // the host waits at its gate: none of the plugin's code can run yet
	check(h.Event(ctx, fsm.HostStarted, host))  // after this returns nil the gate may open
	check(h.Event(ctx, fsm.CleanupComplete))    // every process is proved gone; else fsm.CleanupUnsafe, with the cause
	check(h.Release(ctx))
	// Output:
	// acquire -> parent-owned
	// hostStarting -> host-starting
	// hostStarted -> host-active
	// cleanupComplete -> cleanup-complete
	// release -> released
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// What the lifecycle forbids changes nothing.
func ExampleHandle_Event() {
	reg, remove := home()
	defer remove()
	ctx := context.Background()
	h, err := reg.Acquire(ctx, identityOf("acme"), "")
	if err != nil {
		log.Fatal(err)
	}
	var refused *fsm.TransitionError
	if err := h.Release(ctx); errors.As(err, &refused) {
		fmt.Println(refused.Class, "in", refused.State)
	}
	// Output: not-complete in parent-owned
}

// Listing is judging: what is shown is what acquire would decide by.
func ExampleRegistry_List() {
	reg, remove := home()
	defer remove()
	ctx := context.Background()
	if _, err := reg.Acquire(ctx, identityOf("acme"), ""); err != nil {
		log.Fatal(err)
	}
	for i, err := range reg.List(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(i.Plugin, i.State, i.Verdict.Outcome)
	}
	// Output: acme parent-owned active
}

// Without Apply, Repair is a plan.
func ExampleRegistry_Repair() {
	reg, remove := home()
	defer remove()
	ctx := context.Background()
	if _, err := reg.Acquire(ctx, identityOf("acme"), ""); err != nil {
		log.Fatal(err)
	}
	rows, err := reg.Repair(ctx, lease.RepairOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		fmt.Println(row.Plugin, row.Verdict.Outcome, "removable:", row.Removable)
	}
	// Output: acme active removable: false
}
