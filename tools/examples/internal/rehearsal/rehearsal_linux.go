// Package rehearsal is what the tests of the examples have in common.
package rehearsal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// patience bounds every wait; it is only ever used up by a failure.
const patience = 20 * time.Second

// HomeOf is the environment variable that names an owner's home.
const HomeOf = "EXAMPLE_TEST_HOME"

// Grace is short, as nobody here does anything that is worth waiting for.
var Grace = host.WithGrace(200 * time.Millisecond)

// EachBoundary runs a test with the options of every boundary that can be had here and proves something.
func EachBoundary(t *testing.T, test func(t *testing.T, opts ...host.Option)) {
	for _, kind := range host.Kinds[1:4] {
		t.Run(kind, func(t *testing.T) {
			opts := []host.Option{host.WithBoundary(kind), Grace}
			if _, err := host.Choose(opts...); err != nil {
				t.Skipf("NOT TESTED: %v", err)
			}
			test(t, opts...)
		})
	}
}

// lifeline is the file that the plugins of a test inherit: its last holder's end is the end of them all.
func lifeline(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// Watched has cmd inherit a lifeline, and returns what fails unless every process that inherited it has ended.
func Watched(t *testing.T, cmd *exec.Cmd) (requireGone func()) {
	t.Helper()
	r, w := lifeline(t)
	cmd.ExtraFiles = append(cmd.ExtraFiles, w)
	return func() {
		t.Helper()
		w.Close()
		require.NoError(t, r.SetReadDeadline(time.Now().Add(patience)))
		_, err := r.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "a process of the plugin is alive")
	}
}

// Leave leaves a child behind, in a session of its own, that ignores TERM and holds what its parent inherited as descriptor 3.
func Leave() {
	cmd := exec.Command("setsid", "sh", "-c", `trap "" TERM; echo; while :; do sleep 1; done`)
	if life := os.NewFile(3, "lifeline"); life != nil {
		cmd.ExtraFiles = []*os.File{life}
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = out.Read(make([]byte, 1)) // it is as stubborn as it will be
	}
	if err != nil {
		panic(err)
	}
}

// Linger goes on for ever, whatever is asked of it.
func Linger() {
	signal.Ignore(unix.SIGTERM)
	<-time.After(time.Hour)
}

// Tidy has a killed plugin's temporary files removed. The directory's name is short: sockets are made in it.
func Tidy(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "tidy-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	t.Setenv("TMPDIR", dir)
}

// KilledOwner kills the owner that cmd is as soon as its plugin is at work, and requires that the doctor can clear its lease, and that
// nothing is left.
func KilledOwner(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	Tidy(t)
	home := filepath.Join(t.TempDir(), "home")
	gone := Watched(t, cmd)
	cmd.Env = append(os.Environ(), HomeOf+"="+home)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err, "%s", &errs)
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()
	i := only(t, reg)
	require.Equal(t, fsm.StateHostActive, i.State)
	gate, err := process.OpenPidfd(i.Lease.(*leasefile.LeaseV2).Containment.Host.PID)
	require.NoError(t, err)
	defer gate.Close()

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, err = reg.Acquire(t.Context(), i.Lease.Operation(), "")
	require.ErrorIs(t, err, lease.ErrBlocked)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, gate.Wait(ctx))
	gone()
	require.Equal(t, verdict.Gone, only(t, reg).Verdict.Outcome)
	rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.True(t, rows[0].Removed, fmt.Sprint(rows))
}

func only(t *testing.T, reg *lease.Registry) lease.Inspection {
	t.Helper()
	for i, err := range reg.List(t.Context()) {
		require.NoError(t, err)
		return i
	}
	require.FailNow(t, "there is no lease")
	return lease.Inspection{}
}
