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

// TestAPreparedCommandsDirectory is where its starter had it in the end, and is gone to once.
func TestAPreparedCommandsDirectory(t *testing.T) {
	for name, tt := range map[string]struct{ before, then, want string }{
		"relative":                     {"sub", "sub", "sub"},
		"given after Prepare":          {"", "sub", "sub"},
		"changed after Prepare":        {"sub", "other", "other"},
		"changed to an absolute one":   {"sub", "/", "/"},
		"taken away after Prepare":     {"sub", "", ""},
		"a directory inside that name": {"sub", "sub/sub", "sub/sub"},
	} {
		t.Run(name, func(t *testing.T) {
			at := t.TempDir()
			for _, dir := range []string{"sub/sub", "other"} {
				require.NoError(t, os.MkdirAll(filepath.Join(at, dir), 0o700))
			}
			t.Chdir(at)
			reg, _ := open(t)
			h := acquire(t, reg)
			cmd := exec.Command("pwd", "-P")
			cmd.Dir = tt.before
			p := prepare(t, h, "subreaper", cmd)
			cmd.Dir = tt.then
			out, err := cmd.Output()
			require.NoError(t, err)
			want := tt.want
			if !filepath.IsAbs(want) {
				want, err = filepath.EvalSymlinks(filepath.Join(at, want))
				require.NoError(t, err)
			}
			require.Equal(t, want+"\n", string(out))
			_, err = p.Finish(t.Context())
			require.NoError(t, err)
			require.NoError(t, h.Release(t.Context()))
		})
	}
}
