package host_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

// run is host.Run, or with HOST_TEST_PREPARE what a library makes of a prepared command.
func run(ctx context.Context, h *lease.Handle, cmd *exec.Cmd, opts ...host.Option) (host.Result, error) {
	if os.Getenv("HOST_TEST_PREPARE") == "" {
		return host.Run(ctx, h, cmd, opts...)
	}
	p, err := host.Prepare(ctx, h, cmd, opts...)
	if err != nil {
		return host.Result{}, err
	}
	_ = cmd.Run()
	return p.Finish(ctx)
}

// shortly is the grace of these tests: long enough for whoever wants to go.
var shortly = host.WithGrace(200 * time.Millisecond)

// prepare prepares cmd in a kind of boundary.
func prepare(t *testing.T, h *lease.Handle, kind string, cmd *exec.Cmd) *host.Prepared {
	t.Helper()
	p, err := host.Prepare(t.Context(), h, cmd, host.WithBoundary(kind), host.AcceptUnproved(), shortly)
	require.NoError(t, err)
	return p
}

// eachKind runs a test in every boundary that is possible here.
func eachKind(t *testing.T, test func(t *testing.T, kind string)) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			available(t, kind)
			test(t, kind)
		})
	}
}

func statusOf(cmd *exec.Cmd) syscall.WaitStatus {
	return cmd.ProcessState.Sys().(syscall.WaitStatus) &^ 0x80 // whether there was a core is the machine's business
}

func TestAPreparedCommandEndsAsThePlugin(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		scripts := []string{"exit 0", "exit 255", "kill -TERM $$", "kill -KILL $$"}
		if kind == "subreaper" { // the front is the same in all
			scripts = append(scripts, "exit 7", "exit 128", "kill -HUP $$", "kill -ABRT $$", "kill -USR1 $$", "kill -SEGV $$",
				"kill -QUIT $$", "kill -INT $$", "kill -PIPE $$")
		}
		for _, script := range scripts {
			t.Run(script, func(t *testing.T) {
				script := "ulimit -c 0; " + script
				bare := sh(script)
				_ = bare.Run()
				reg, seen := open(t)
				h := acquire(t, reg)
				cmd := sh(script)
				p := prepare(t, h, kind, cmd)
				_ = cmd.Run()
				require.Equal(t, statusOf(bare), statusOf(cmd))
				got, err := p.Finish(t.Context())
				require.NoError(t, err)
				want := host.Result{Code: statusOf(bare).ExitStatus(), Started: true, Boundary: kind, Why: "it was asked for"}
				if statusOf(bare).Signaled() {
					want.Code, want.Signaled = 128+int(statusOf(bare).Signal()), true
				}
				require.Equal(t, want, got)
				again, err := p.Cancel()
				require.NoError(t, err)
				require.Equal(t, got, again)
				require.NoError(t, h.Release(t.Context()))
				require.Equal(t, []string{"acquire", "hostStarting", "hostStarted", "cleanupComplete", "release"}, *seen)
				empty(t, reg)
			})
		}
	})
}

// A library changes the command after it was prepared; the plugin gets what it would have got, and no descriptor more.
func TestAPreparedCommandIsThePluginToTheLibrary(t *testing.T) {
	eachKind(t, func(t *testing.T, kind string) {
		script := `cat; echo err >&2; echo extra >&3; pwd; echo $ONLY "$0" "$@"; env | cut -d= -f1; exec ls -C /proc/self/fd`
		library := func(cmd *exec.Cmd, after func()) (string, string) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			cmd.ExtraFiles = []*os.File{w}
			after()
			var out, errs bytes.Buffer
			cmd.Args = append(cmd.Args, "appended", "and  this")
			cmd.Env, cmd.Dir = []string{"ONLY=this", "PATH=" + os.Getenv("PATH")}, "/"
			cmd.Stderr = &errs
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			piped, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			require.NoError(t, w.Close())
			_, err = io.WriteString(in, "in\n")
			require.NoError(t, err)
			require.NoError(t, in.Close()) // the plugin sees the end
			_, err = io.Copy(&out, piped)  // and we its own
			require.NoError(t, err)
			extra, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, cmd.Wait())
			return out.String(), errs.String() + string(extra)
		}
		plugin := func() *exec.Cmd { return exec.Command("sh", "-c", script, "name") }
		out, rest := library(plugin(), func() {})

		reg, _ := open(t)
		h := acquire(t, reg)
		cmd := plugin()
		var p *host.Prepared
		gotOut, gotRest := library(cmd, func() { p = prepare(t, h, kind, cmd) })
		require.Equal(t, out, strings.Replace(gotOut, lease.Mark+"\n", "", 1), "the mark of the lease is all that is added")
		require.Equal(t, rest, gotRest)
		_, err := p.Finish(t.Context())
		require.NoError(t, err)
		require.NoError(t, h.Release(t.Context()))
		empty(t, reg)
	})
}

func TestAPreparedPluginsFirstInstructionFindsHostActive(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	cmd := exec.Command("cat", filepath.Join(reg.Dir(), "leases", h.ID()+".json"))
	p := prepare(t, h, "subreaper", cmd)
	require.Equal(t, fsm.StateParentOwned, h.State(), "nothing moves before the command is started")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), `"host-active"`)
	_, err = p.Finish(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Release(t.Context()))
}

// What the plugin closes is closed to the library, though front and gate live on.
func TestAPluginClosesItsOutput(t *testing.T) {
	reg, _ := open(t)
	h := acquire(t, reg)
	cmd := sh(`echo bye; exec >&-; read line; exit 6`)
	p := prepare(t, h, "subreaper", cmd)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := make(chan string, 1)
	go func() { text, _ := io.ReadAll(out); said <- string(text) }()
	select {
	case text := <-said:
		require.Equal(t, "bye\n", text)
	case <-time.After(patience):
		require.Fail(t, "somebody holds the plugin's output open")
	}
	require.NoError(t, in.Close())
	require.EqualError(t, cmd.Wait(), "exit status 6")
	_, err = p.Finish(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Release(t.Context()))
}

func TestTheProofDoesNotWaitForFinish(t *testing.T) {
	complete := make(chan struct{})
	reg, err := lease.Open(t.Context(), filepath.Join(t.TempDir(), "home"), lease.WithObserver(func(o lease.Observation) {
		if o.Kind == lease.Moved && o.Event == fsm.CleanupComplete {
			close(complete)
		}
	}))
	require.NoError(t, err)
	defer reg.Close()
	h := acquire(t, reg)
	cmd := exec.Command("true")
	p := prepare(t, h, "subreaper", cmd)
	require.NoError(t, cmd.Run())
	select {
	case <-complete:
	case <-time.After(patience):
		require.Fail(t, "the lease is not complete")
	}
	_, err = p.Finish(t.Context())
	require.NoError(t, err)
	require.NoError(t, h.Release(t.Context()))
}
