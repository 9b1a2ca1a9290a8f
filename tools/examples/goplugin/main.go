// Command goplugin runs a plugin of hashicorp/go-plugin under a containment lease: handshake, a call, Kill, and the lease before,
// between and after.
//
//	go run ./examples/goplugin
//
// What a go-plugin host has to add is host.GateMain, the first statement of main, and the five lines around its client in
// [invoke]: Acquire, Prepare, Finish, Release. ClientConfig.SecureConfig would find this program in the plugin's place: give
// host.WithSHA256 to Prepare instead. Client.Kill asks the plugin over RPC, waits two seconds, and kills what it started; that ends the
// plugin and all that it has left, after the grace (host.WithGrace).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"containlease/lease/host"
	"containlease/tools/examples/internal/stage"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
)

func main() {
	host.GateMain() // this program serves as its own front and gate
	if len(os.Args) == 2 && os.Args[1] == "plugin" {
		serve(polite{})
		return
	}
	// The plugin is this program once more.
	if err := stage.Tell(context.Background(), os.Stdout, "plugin", invoke); err != nil {
		fmt.Fprintln(os.Stderr, "goplugin:", err)
		os.Exit(1)
	}
}

// invoke is one invocation of the plugin, from Acquire to Release.
func invoke(ctx context.Context, s *stage.Stage, cmd *exec.Cmd, opts ...host.Option) error {
	identity, err := stage.Identity("greeter", "greeter.greet", cmd.Path)
	if err != nil {
		return err
	}
	h, err := s.Registry.Acquire(ctx, identity, "")
	if err != nil {
		return err // with the command to type, if an earlier invocation may be alive
	}
	defer h.Close()
	prepared, err := host.Prepare(ctx, h, cmd, opts...)
	if err != nil {
		return errors.Join(err, h.Release(ctx))
	}
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: handshake, Plugins: plugins, Cmd: cmd, Logger: hclog.NewNullLogger(),
	})
	failed := errors.Join(s.Show(ctx, "prepared"), call(ctx, s, client))
	client.Kill()
	result, err := prepared.Finish(ctx)
	if err != nil {
		return errors.Join(failed, err) // the lease stays, and blocks the plugin
	}
	s.Say("the plugin ended with %d, and nothing of it is left", result.Code)
	return errors.Join(failed, s.Show(ctx, "finished"), h.Release(ctx))
}

// call starts the plugin and has it greet.
func call(ctx context.Context, s *stage.Stage, client *plugin.Client) error {
	conn, err := client.Client()
	if err != nil {
		return err
	}
	raw, err := conn.Dispense("greeter")
	if err != nil {
		return err
	}
	greeting, err := raw.(*caller).greet("world")
	if err != nil {
		return err
	}
	s.Say("the plugin says: %s", greeting)
	return s.Show(ctx, "at work")
}
