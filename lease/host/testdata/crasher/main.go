//go:build faultpoints

// Crasher is everybody in one run of the crash matrix: the owner, its gate, the plugin, and the child that the plugin leaves.
//
//	crasher owner HOME KIND [GROUP]
//	crasher preparer HOME KIND
//
// The second starts its plugin as a library does, so that there is a front. Descriptor 3 is the lifeline that all of them inherit. With GROUP the child moves itself to that control group. The matrix builds
// it with the tag faultpoints and lets it on from point to point; see matrix_linux_test.go.
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

	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/persist/file"
)

func main() {
	host.GateMain()
	roles := map[string]func(args []string) error{"owner": own, "preparer": own, "plugin": plug, "child": stay}
	if err := roles[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, os.Args[1]+":", err)
		os.Exit(1)
	}
}

// own is the owner. That the end cannot be proved is no failure of its own: the lease says it.
func own(args []string) error {
	ctx := context.Background()
	home, err := file.Create(args[0])
	if err != nil {
		return err
	}
	reg, err := lease.New(store{home.Store()}, home, lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Moved {
			host.FaultPoint(string(o.Event) + ": memory moved")
		}
	}))
	if err != nil {
		return err
	}
	host.FaultPoint("before")
	h, err := reg.Acquire(ctx, identity(), "")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, append([]string{"plugin"}, args[2:]...)...)
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")}
	err = start[os.Args[1]](ctx, h, cmd, host.WithBoundary(args[1]), host.AcceptUnproved(), host.WithGrace(20*time.Millisecond))
	if errors.Is(err, host.ErrUnsafe) {
		return nil
	}
	// A gate that was killed before it opened is an error, and the lease complete all the same.
	if err := h.Release(ctx); err != nil {
		return err
	}
	host.FaultPoint("the owner's files are removed")
	return nil
}

// start are the two ways to an end.
var start = map[string]func(context.Context, *lease.Handle, *exec.Cmd, ...host.Option) error{
	"owner": func(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, opts ...host.Option) error {
		_, err := host.Run(ctx, h, cmd, opts...)
		return err
	},
	"preparer": func(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, opts ...host.Option) error {
		p, err := host.Prepare(ctx, h, cmd, opts...)
		if err != nil {
			return err
		}
		_ = cmd.Run() // as the library would; what became of it is Finish's to say
		_, err = p.Finish(ctx)
		return err
	},
}

// plug is the plugin: it leaves a child that does not end when it is asked to, and ends.
func plug(args []string) error {
	host.FaultPoint("the plugin runs")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	up, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	child := exec.Command(self, append([]string{"child"}, args...)...)
	child.ExtraFiles = []*os.File{os.NewFile(3, "lifeline"), theirs}
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return err
	}
	theirs.Close()
	if _, err := up.Read(make([]byte, 1)); err != nil {
		return fmt.Errorf("the child did not come up: %w", err)
	}
	host.FaultPoint("the plugin leaves a child")
	return nil
}

// stay is the child. It says that it is up, to the plugin and with its credentials to the matrix, and lives as long as that.
func stay(args []string) error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
	if len(args) > 0 {
		if err := os.WriteFile(filepath.Join(args[0], "cgroup.procs"), []byte("0"), 0); err != nil {
			return err
		}
	}
	up := os.NewFile(4, "up")
	if _, err := up.Write([]byte{1}); err != nil {
		return err
	}
	up.Close()
	host.FaultPoint("the child stays")
	return nil
}

func identity() leasefile.OperationIdentity {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	return leasefile.OperationIdentity{
		PluginID: "demo", PluginVersion: "1.0.0", SurfaceID: "demo", AdapterID: "demo", Transport: leasefile.TransportProviderAPI,
		Operation: "command.run", ContractVersion: 1, BundleSHA256: zeros, ManifestSHA256: zeros, DescriptorSHA256: zeros,
	}
}
