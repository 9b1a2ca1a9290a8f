// Command demo is what `make run` runs: the whole life of containment leases on real processes, told in plain text. It
// builds containlease and a small plugin into a temporary directory, works in a temporary home there, checks every claim that it
// makes, and leaves nothing behind. It ends with 1 and the claim that did not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"containlease/lease/host"
)

// patience bounds the whole demonstration. It takes a few seconds.
const patience = 2 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, patience)
	err := tell(ctx)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo: FAILED:", err)
		os.Exit(1)
	}
}

// demo is the stage: a directory that is removed in the end.
type demo struct {
	ctx                         context.Context
	dir, home, program, pluginX string
}

func tell(ctx context.Context) (err error) {
	if err := host.Supported(); err != nil {
		return fmt.Errorf("nothing to show on this system: %w", err)
	}
	dir, err := os.MkdirTemp("", "containlease-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := demo{ctx: ctx, dir: dir, home: filepath.Join(dir, "home"),
		program: filepath.Join(dir, "containlease"), pluginX: filepath.Join(dir, "careless-plugin")}
	if err := d.build(); err != nil {
		return err
	}
	for _, act := range []func(*demo) error{(*demo).ordinaryLife, (*demo).killedOwner} {
		if err := act(&d); err != nil {
			return err
		}
	}
	say("\nEverything was as claimed, and nothing is left.")
	return nil
}

func (d *demo) build() error {
	say("Building containlease and a careless plugin, which leaves a daemon behind.")
	for path, pkg := range map[string]string{
		d.program: "containlease/tools/containlease",
		d.pluginX: "containlease/tools/demo/plugin",
	} {
		out, err := exec.CommandContext(d.ctx, "go", "build", "-o", path, pkg).CombinedOutput()
		if err != nil {
			return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// say prints one paragraph of the story.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// claim tells what holds, or fails with it.
func claim(holds bool, format string, args ...any) error {
	if !holds {
		return fmt.Errorf("it does not hold that "+format, args...)
	}
	say("  checked: "+format, args...)
	return nil
}
