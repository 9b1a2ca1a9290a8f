package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/tools/examples/internal/rehearsal"
	"containlease/tools/examples/internal/stage"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/stretchr/testify/require"
)

// roles are what this binary can be when a test starts it again.
var roles = map[string]func() error{
	"plugin":   func() error { serve(polite{}); return nil },
	"leaves":   func() error { rehearsal.Leave(); serve(polite{}); return nil },
	"lingers":  func() error { rehearsal.Leave(); serve(polite{}); rehearsal.Linger(); return nil },
	"babbles":  func() error { fmt.Println("no handshake"); rehearsal.Linger(); return nil },
	"breaks":   func() error { os.Exit(3); return nil },
	"an-owner": func() error { return rehearsal.Owner("lingers", begin) },
}

func begin(_ context.Context, cmd *exec.Cmd) error {
	_, err := plugin.NewClient(config(cmd)).Start()
	return err
}

func TestMain(m *testing.M) {
	rehearsal.Play(roles)
	os.Exit(m.Run())
}

func told(code int) string {
	return fmt.Sprintf(`prepared  lease of greeter: parent-owned, active
the plugin says: hello, world
at work   lease of greeter: host-active, active
the plugin ended with %d, and nothing of it is left
finished  lease of greeter: cleanup-complete, active
`, code)
}

func TestTheExampleRunsAsItsReadersRunIt(t *testing.T) {
	require.Equal(t, told(0)+"released  no lease\n", rehearsal.GoRun(t))
}

// open returns a stage, and what is told on it.
func open(t *testing.T) (*stage.Stage, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	s, err := stage.New(t.Context(), &out)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, &out
}

// Kill asks over RPC first. A plugin that does not go is killed: of what is killed only the front dies at once.
func TestHandshakeCallAndKill(t *testing.T) {
	rehearsal.EachBoundary(t, func(t *testing.T, opts ...host.Option) {
		for role, code := range map[string]int{"plugin": 0, "leaves": 0, "lingers": 128 + 9} {
			t.Run(role, func(t *testing.T) {
				s, out := open(t)
				cmd := rehearsal.Self(role)
				gone := rehearsal.Watched(t, cmd)
				require.NoError(t, invoke(t.Context(), s, cmd, opts...))
				require.Equal(t, told(code), out.String())
				gone()
				requireNothing(t, s)
			})
		}
	})
}

func requireNothing(t *testing.T, s *stage.Stage) {
	t.Helper()
	for i := range s.Registry.List(t.Context()) {
		t.Fatalf("left: %+v", i)
	}
}

func TestAPluginThatDoesNotShakeHands(t *testing.T) {
	for _, role := range []string{"babbles", "breaks"} {
		t.Run(role, func(t *testing.T) {
			s, _ := open(t)
			cmd := rehearsal.Self(role)
			gone := rehearsal.Watched(t, cmd)
			require.Error(t, invoke(t.Context(), s, cmd, host.WithBoundary("subreaper"), rehearsal.Grace))
			gone()
			requireNothing(t, s)
		})
	}
}

// prepared is a prepared plugin under a lease.
func prepared(t *testing.T, s *stage.Stage, cmd *exec.Cmd, opts ...host.Option) (*lease.Handle, *host.Prepared, error) {
	t.Helper()
	identity, err := stage.Identity("greeter", "greeter.greet", cmd.Path)
	require.NoError(t, err)
	h, err := s.Registry.Acquire(t.Context(), identity, "")
	require.NoError(t, err)
	p, err := host.Prepare(t.Context(), h, cmd, append(opts, host.WithBoundary("subreaper"), rehearsal.Grace)...)
	return h, p, err
}

func config(cmd *exec.Cmd) *plugin.ClientConfig {
	return &plugin.ClientConfig{HandshakeConfig: handshake, Plugins: plugins, Cmd: cmd, Logger: hclog.NewNullLogger()}
}

func TestTheDigestIsForPrepareToCheck(t *testing.T) {
	text, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	sum := sha256.Sum256(text)

	t.Run("by prepare", func(t *testing.T) {
		s, _ := open(t)
		require.NoError(t, invoke(t.Context(), s, rehearsal.Self("plugin"), host.WithBoundary("subreaper"), host.WithSHA256(sum[:])))
		sum := sum
		sum[0]++
		require.ErrorIs(t, invoke(t.Context(), s, rehearsal.Self("plugin"), host.WithBoundary("subreaper"), host.WithSHA256(sum[:])), host.ErrDigest)
		requireNothing(t, s)
	})
	t.Run("refused by go-plugin", func(t *testing.T) {
		s, _ := open(t)
		h, p, err := prepared(t, s, exec.Command("true"))
		require.NoError(t, err)
		c := config(rehearsal.Self("plugin"))
		c.SecureConfig = &plugin.SecureConfig{Checksum: make([]byte, sha256.Size), Hash: sha256.New()}
		_, err = plugin.NewClient(c).Start()
		require.ErrorIs(t, err, plugin.ErrChecksumsDoNotMatch)
		_, err = p.Finish(t.Context())
		require.ErrorIs(t, err, host.ErrNeverStarted)
		require.NoError(t, h.Release(t.Context()))
	})
}

// Who reattaches has the front's pid, and killing that stops the plugin.
func TestAReattachedClientKills(t *testing.T) {
	rehearsal.Tidy(t)
	s, _ := open(t)
	cmd := rehearsal.Self("plugin")
	gone := rehearsal.Watched(t, cmd)
	h, p, err := prepared(t, s, cmd)
	require.NoError(t, err)
	first := plugin.NewClient(config(cmd))
	defer first.Kill()
	_, err = first.Start()
	require.NoError(t, err)
	c := config(nil)
	c.Reattach = first.ReattachConfig()
	require.Equal(t, cmd.Process.Pid, c.Reattach.Pid)
	again := plugin.NewClient(c)
	conn, err := again.Client()
	require.NoError(t, err)
	require.NoError(t, conn.Ping())
	again.Kill()
	_, err = p.Finish(t.Context())
	require.NoError(t, err)
	gone()
	require.Equal(t, fsm.StateCleanupComplete, h.State())
	require.NoError(t, h.Release(t.Context()))
}

func TestTheOwnerIsKilled(t *testing.T) { rehearsal.KilledOwner(t, rehearsal.Self("an-owner")) }
