//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"containlease/lease"
	"containlease/lease/host"
	"containlease/tools/internal/answers"
)

// grace is the plugin's, of every run beside which something is refused.
const grace = 200 * time.Millisecond

// prepare HOME BOUNDARY PLUGIN ARGS… is `containlease run` of a library that starts its plugin itself: there is a front between
// owner and gate. It ends as the run does.
func prepare(args []string) error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer reg.Close()
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	cmd := exec.Command(args[2], args[3:]...)
	p, err := host.Prepare(ctx, h, cmd, host.WithBoundary(args[1]), host.WithGrace(grace))
	if err != nil {
		return errors.Join(err, h.Release(ctx))
	}
	_ = cmd.Run() // how the plugin ended is Finish's to say
	res, err := p.Finish(ctx)
	if errors.Is(err, host.ErrUnsafe) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(blocked)
	}
	if err := errors.Join(err, h.Release(ctx)); err != nil {
		return err
	}
	os.Exit(res.Code)
	return nil
}

// command is what starts the run.
func (b *beside) command() []string {
	if b.prepared {
		return []string{b.self, "prepare", b.home, b.boundary}
	}
	return []string{b.program, "--home", b.home, "run", "--boundary", b.boundary, "--grace", grace.String(), "--"}
}

// below is how far who is below the process that starts the run.
func (r refusal) below() int {
	switch {
	case r.who == answers.Gate && r.prepared:
		return 2
	case r.who != answers.Owner:
		return 1
	}
	return 0
}

// fair reports whether the run may end so where nothing was left behind.
func (r refusal) fair(code int) bool {
	const never, asked = 1, 143 // the front that cannot pass on what it hears ends, which asks the plugin to end
	return code == 3 || code == blocked || r.prepared && (code == asked || code == never)
}
