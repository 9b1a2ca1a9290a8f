package rehearsal

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"containlease/lease"
	"containlease/lease/host"
	"containlease/tools/examples/internal/stage"
)

// Owner is the process that KilledOwner kills: a host whose plugin, this program in a role, is at work once start returns.
func Owner(role string, start func(context.Context, *exec.Cmd) error) error {
	ctx := context.Background()
	reg, err := lease.Open(ctx, os.Getenv(HomeOf))
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	identity, err := stage.Identity("greeter", "greeter.greet", exe)
	if err != nil {
		return err
	}
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, role)
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")}
	if _, err := host.Prepare(ctx, h, cmd, host.WithBoundary("subreaper"), Grace); err != nil {
		return err
	}
	if err := start(ctx, cmd); err != nil {
		return err
	}
	fmt.Println("at work")
	Linger()
	return nil
}

// Self is this program in a role.
func Self(role string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exec.Command(exe, role)
}

// Play plays the role that this process was started in, if it was, and ends it.
func Play(roles map[string]func() error) {
	host.GateMain()
	if len(os.Args) != 2 || roles[os.Args[1]] == nil {
		os.Setenv("GORACE", "atexit_sleep_ms=0") // a race-enabled plugin otherwise ends a second late
		return
	}
	if err := roles[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, os.Args[1]+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}
