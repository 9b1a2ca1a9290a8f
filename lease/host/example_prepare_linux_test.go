package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"containlease/lease"
	"containlease/lease/host"
)

// A library starts and kills a command in its own way: here cat, which would go on for ever.
func ExamplePrepare() {
	dir, err := os.MkdirTemp("", "containlease-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	reg, err := lease.Open(ctx, filepath.Join(dir, "home"))
	if err != nil {
		log.Fatal(err)
	}
	defer reg.Close()
	h, err := reg.Acquire(ctx, identity, "")
	if err != nil {
		log.Fatal(err)
	}

	cmd := exec.Command("cat")
	prepared, err := host.Prepare(ctx, h, cmd) // main began with host.GateMain()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(library(cmd, h))
	result, err := prepared.Finish(ctx)
	if err != nil {
		log.Fatal(err) // host.ErrUnsafe: the lease stays
	}
	fmt.Println(result.Code, h.State())
	if err := h.Release(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// hello
	// host-active
	// signal: killed
	// 143 cleanup-complete
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
