package host_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestAPreparedCommandThatIsNeverStarted(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		for name, end := range map[string]func(*testing.T, *host.Prepared, *exec.Cmd){
			"cancel": func(t *testing.T, p *host.Prepared, _ *exec.Cmd) {
				_, err := p.Cancel()
				require.NoError(t, err)
			},
			"finish": func(t *testing.T, p *host.Prepared, _ *exec.Cmd) {
				_, err := p.Finish(t.Context())
				require.ErrorIs(t, err, host.ErrNeverStarted)
			},
			"start failed": func(t *testing.T, p *host.Prepared, cmd *exec.Cmd) {
				cmd.Dir = "/no/such/dir"
				require.ErrorIs(t, cmd.Start(), os.ErrNotExist)
				_, err := p.Finish(t.Context())
				require.ErrorIs(t, err, host.ErrNeverStarted)
			},
		} {
			t.Run(name, func(t *testing.T) {
				reg, seen := open(t)
				h := acquire(t, reg)
				ran := filepath.Join(t.TempDir(), "ran")
				cmd := exec.Command("touch", ran)
				p := prepare(t, h, kind, cmd)
				end(t, p, cmd)
				require.Error(t, cmd.Run(), "it cannot be started any more")
				require.NoFileExists(t, ran)
				require.NoError(t, h.Release(t.Context()))
				require.Equal(t, []string{"acquire", "cleanupComplete", "release"}, *seen)
				empty(t, reg)
			})
		}
	})
}

func TestWhatCannotBePrepared(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text"), nil, 0o644))
	used := exec.Command("true")
	require.NoError(t, used.Run())
	attr := exec.Command("true")
	attr.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Chroot: "/"}
	var start *host.StartError
	for name, tt := range map[string]struct {
		cmd  *exec.Cmd
		opts []host.Option
		want any
	}{
		"no such program": {exec.Command("no-such-program-here"), nil, &start},
		"no such file":    {exec.Command("/no/such/file"), nil, &start},
		"not executable":  {&exec.Cmd{Path: "text", Dir: dir}, nil, &start},
		"a directory":     {&exec.Cmd{Path: "/etc"}, nil, &start},
		"used":            {used, nil, host.ErrCommand},
		"attributes":      {attr, nil, host.ErrCommand},
		"another program": {exec.Command("true"), []host.Option{host.WithSHA256(make([]byte, 32))}, host.ErrDigest},
		"an empty digest": {exec.Command("true"), []host.Option{host.WithSHA256(nil)}, host.ErrDigest},
		"boundary":        {exec.Command("true"), []host.Option{host.WithBoundary("fence")}, host.ErrBoundary},
		"unproved":        {exec.Command("true"), []host.Option{host.WithBoundary("process-group")}, host.ErrUnproved},
	} {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			before := fmt.Sprint(tt.cmd.Path, tt.cmd.Args, tt.cmd.ExtraFiles)
			_, err := host.Prepare(t.Context(), h, tt.cmd, tt.opts...)
			if target, ok := tt.want.(error); ok {
				require.ErrorIs(t, err, target)
			} else {
				require.ErrorAs(t, err, tt.want)
			}
			require.Equal(t, before, fmt.Sprint(tt.cmd.Path, tt.cmd.Args, tt.cmd.ExtraFiles))
			require.NoError(t, h.Release(t.Context()))
			empty(t, reg)
		})
	}
}

// What cannot be executed after all is told as a shell tells it.
func TestAPluginThatCannotBeExecuted(t *testing.T) {
	for text, want := range map[string]int{"no program": 126, "#!/no/such/interpreter": 127} {
		t.Run(text, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			path := filepath.Join(t.TempDir(), "plugin")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
			var errs bytes.Buffer
			cmd := exec.Command(path)
			cmd.Stderr = &errs
			p := prepare(t, h, "subreaper", cmd)
			require.EqualError(t, cmd.Run(), fmt.Sprint("exit status ", want))
			require.Contains(t, errs.String(), "cannot start "+path)
			got, err := p.Finish(t.Context())
			var start *host.StartError
			require.ErrorAs(t, err, &start)
			require.False(t, got.Started)
			require.NoError(t, h.Release(t.Context()))
		})
	}
}

func TestTheExpectedProgramRuns(t *testing.T) {
	dir, text := t.TempDir(), []byte("#!/bin/sh\nexit 5\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin"), text, 0o755))
	sum := sha256.Sum256(text)
	for name, start := range map[string]func(*lease.Handle, *exec.Cmd, host.Option) (host.Result, error){
		"run": func(h *lease.Handle, cmd *exec.Cmd, opt host.Option) (host.Result, error) {
			return host.Run(t.Context(), h, cmd, opt)
		},
		"prepare": func(h *lease.Handle, cmd *exec.Cmd, opt host.Option) (host.Result, error) {
			p, err := host.Prepare(t.Context(), h, cmd, opt)
			require.NoError(t, err)
			require.EqualError(t, cmd.Run(), "exit status 5")
			return p.Finish(t.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			reg, _ := open(t)
			h := acquire(t, reg)
			got, err := start(h, &exec.Cmd{Path: "./plugin", Dir: dir}, host.WithSHA256(sum[:])) // found where the plugin will be
			require.NoError(t, err)
			require.Equal(t, 5, got.Code)
			require.NoError(t, h.Release(t.Context()))
		})
	}
}
