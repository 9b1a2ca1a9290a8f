package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"containlease/lease/host"
	"containlease/tools/examples/internal/rehearsal"
	"containlease/tools/examples/internal/stage"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// roles are what this binary can be when a test starts it again.
var roles = map[string]func() error{
	"server":   func() error { return serve(context.Background()) },
	"leaves":   func() error { rehearsal.Leave(); return serve(context.Background()) },
	"waits":    func() error { _ = serve(context.Background()); <-time.After(time.Hour); return nil },
	"lingers":  func() error { rehearsal.Leave(); _ = serve(context.Background()); rehearsal.Linger(); return nil },
	"breaks":   func() error { os.Exit(3); return nil },
	"an-owner": func() error { return rehearsal.Owner("lingers", begin) },
}

func begin(ctx context.Context, cmd *exec.Cmd) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "owner", Version: "1.0.0"}, nil)
	_, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	return err
}

func TestMain(m *testing.M) {
	rehearsal.Play(roles)
	os.Exit(m.Run())
}

func told(code int) string {
	return fmt.Sprintf(`prepared  lease of greeter: parent-owned, active
the server says: hello, world
at work   lease of greeter: host-active, active
the server ended with %d, and nothing of it is left
finished  lease of greeter: cleanup-complete, active
`, code)
}

func TestTheExampleRunsAsItsReadersRunIt(t *testing.T) {
	require.Equal(t, told(0)+"released  no lease\n", rehearsal.GoRun(t))
}

// Close closes the server's input, then sends TERM, then kills: each of these ends one of the servers.
func TestInitializeCallAndClose(t *testing.T) {
	rehearsal.EachBoundary(t, func(t *testing.T, opts ...host.Option) {
		for role, want := range map[string]struct {
			code int
			says string // by the SDK, of how the server ended
		}{
			"server":  {0, ""},
			"leaves":  {0, ""},
			"waits":   {128 + 15, "signal: terminated"},
			"lingers": {128 + 9, "signal: killed"},
		} {
			t.Run(role, func(t *testing.T) {
				var out bytes.Buffer
				s, err := stage.New(t.Context(), &out)
				require.NoError(t, err)
				cmd := rehearsal.Self(role)
				gone := rehearsal.Watched(t, cmd)
				err = invoke(t.Context(), s, cmd, opts...)
				if want.says == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, want.says)
				}
				require.Equal(t, told(want.code), out.String())
				gone()
				requireNothing(t, s)
			})
		}
	})
}

func TestAServerThatIsNone(t *testing.T) {
	s, err := stage.New(t.Context(), &bytes.Buffer{})
	require.NoError(t, err)
	cmd := rehearsal.Self("breaks")
	gone := rehearsal.Watched(t, cmd)
	require.Error(t, invoke(t.Context(), s, cmd, host.WithBoundary("subreaper")))
	gone()
	requireNothing(t, s)
}

func requireNothing(t *testing.T, s *stage.Stage) {
	t.Helper()
	for i := range s.Registry.List(t.Context()) {
		t.Fatalf("left: %+v", i)
	}
	require.NoError(t, s.Close())
}

func TestTheOwnerIsKilled(t *testing.T) { rehearsal.KilledOwner(t, rehearsal.Self("an-owner")) }
