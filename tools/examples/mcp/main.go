// Command mcp runs a server of the Model Context Protocol under a containment lease, by the CommandTransport of the Go SDK:
// initialize, a call of a tool, Close, and the lease before, between and after.
//
//	go run ./examples/mcp
//
// What an MCP host has to add is host.GateMain, the first statement of main, and the five lines around its session in
// [invoke]: Acquire, Prepare, Finish, Release. Session.Close closes the server's standard input, waits, sends TERM, waits, and kills what
// it started; that ends the server and all that it has left, after the grace (host.WithGrace).
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"containlease/lease/host"
	"containlease/tools/examples/internal/stage"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	host.GateMain() // this program serves as its own front and gate
	var err error
	if len(os.Args) == 2 && os.Args[1] == "server" {
		err = serve(context.Background())
	} else { // the server is this program once more
		err = stage.Tell(context.Background(), os.Stdout, "server", invoke)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

// invoke is one invocation of the server, from Acquire to Release.
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
	failed := errors.Join(s.Show(ctx, "prepared"), call(ctx, s, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}))
	result, err := prepared.Finish(ctx)
	if err != nil {
		return errors.Join(failed, err) // the lease stays, and blocks the plugin
	}
	s.Say("the server ended with %d, and nothing of it is left", result.Code)
	return errors.Join(failed, s.Show(ctx, "finished"), h.Release(ctx))
}

// call starts the server, has it greet and stops it.
func call(ctx context.Context, s *stage.Stage, transport *mcp.CommandTransport) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return err
	}
	reply, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: greetArgs{Name: "world"}})
	if err != nil {
		return errors.Join(err, session.Close())
	}
	for _, part := range reply.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			s.Say("the server says: %s", text.Text)
		}
	}
	return errors.Join(s.Show(ctx, "at work"), session.Close())
}
