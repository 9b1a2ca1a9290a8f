package host_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

// ways are both ways to start a plugin.
var ways = map[string]func(*testing.T, context.Context, *lease.Handle, *exec.Cmd) error{
	"run": func(_ *testing.T, ctx context.Context, h *lease.Handle, cmd *exec.Cmd) error {
		_, err := host.Run(ctx, h, cmd, host.WithBoundary("subreaper"))
		return err
	},
	"prepare": func(t *testing.T, ctx context.Context, h *lease.Handle, cmd *exec.Cmd) error {
		p := prepare(t, h, "subreaper", cmd)
		require.NoError(t, cmd.Run())
		_, err := p.Finish(ctx)
		return err
	},
}

// TestWhatIsNoTextReachesThePlugin: arguments, environment and paths are bytes to the system, in whichever encoding.
func TestWhatIsNoTextReachesThePlugin(t *testing.T) {
	const odd = "caf\xe9\xff"
	for way, start := range ways {
		t.Run(way, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), odd)
			require.NoError(t, os.Mkdir(dir, 0o700))
			script := filepath.Join(dir, "script"+odd)
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+`printf '%s\n' "$1" "$ODD"; pwd`+"\n"), 0o700))
			var out bytes.Buffer
			cmd := exec.Command(script, odd)
			cmd.Dir, cmd.Env, cmd.Stdout = dir, []string{"ODD=" + odd, "PATH=" + os.Getenv("PATH")}, &out
			reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), odd))
			require.NoError(t, err)
			defer reg.Close()
			h := acquire(t, reg)
			require.NoError(t, start(t, t.Context(), h, cmd))
			require.Equal(t, odd+"\n"+odd+"\n"+dir+"\n", out.String())
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}
