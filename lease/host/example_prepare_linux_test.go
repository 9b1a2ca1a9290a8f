package host_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"containlease/lease"
	"containlease/lease/host"
)

// A library starts and kills a command in its own way: here an echo that goes on for ever, whether it is
// the end of its input or the signal that it sees first.
func ExamplePrepare() {
	dir, err := os.MkdirTemp("", "containlease-example-")
	check(err)
	defer os.RemoveAll(dir)
	ctx := context.Background()
	reg, err := lease.Open(ctx, dir)
	check(err)
	defer reg.Close()
	h, err := reg.Acquire(ctx, acme(), "")
	check(err)

	cmd := exec.Command("sh", "-c", "cat; exec sleep 600")
	prepared, err := host.Prepare(ctx, h, cmd) // what the library starts is now our front
	check(err)
	fmt.Println(library(cmd, h))        // such as go-plugin's ClientConfig.Cmd or MCP's CommandTransport
	result, err := prepared.Finish(ctx) // the end is proved, else host.ErrUnsafe: then the lease stays
	check(err)
	check(h.Release(ctx))
	fmt.Println(result.Code, h.State())
	// Output:
	// hello
	// host-active
	// signal: killed
	// 143 released
}

// library knows nothing of leases, but for this example's sake.
func library(cmd *exec.Cmd, h *lease.Handle) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var line string
	if _, err := fmt.Fprintln(in, "hello"); err != nil {
		return err
	}
	if _, err := fmt.Fscanln(out, &line); err != nil {
		return err
	}
	fmt.Println(line)
	fmt.Println(h.State())
	if err := cmd.Process.Kill(); err != nil {
		return err
	}
	return cmd.Wait()
}
