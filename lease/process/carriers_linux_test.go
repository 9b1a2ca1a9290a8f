package process

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCarriers finds whoever has the variable, and by its first value; a zombie has no environment.
func TestCarriers(t *testing.T) {
	const variable = "CONTAINLEASE_TEST_CARRIER"
	begin := func(env ...string) *exec.Cmd {
		cmd := exec.Command("cat")
		cmd.Env = env
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		_, err = in.Write([]byte("x"))
		require.NoError(t, err)
		_, err = out.Read(make([]byte, 1)) // it executes its own program
		require.NoError(t, err)
		return cmd
	}
	one, two := begin("A=1", variable+"=one", "X"+variable+"=other"), begin(variable+"=two")
	begin("X"+variable+"=other", variable, variable+"=") // names nothing
	carriers := func() map[int64]string { return New().Carriers(variable) }
	require.Equal(t, map[int64]string{int64(one.Process.Pid): "one", int64(two.Process.Pid): "two"}, carriers())

	pidfd, err := OpenPidfd(int64(one.Process.Pid))
	require.NoError(t, err)
	defer pidfd.Close()
	require.NoError(t, one.Process.Kill())
	require.NoError(t, pidfd.Wait(t.Context())) // it has ended, and nobody has reaped it
	require.Equal(t, map[int64]string{int64(two.Process.Pid): "two"}, carriers())
}

// A process that lets nobody look at its memory is left out, and holds nobody up.
func TestWithin(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	require.Empty(t, within(time.Millisecond, func() string { <-block; return "late" }))
	require.Equal(t, "told", within(time.Minute, func() string { return "told" }))
}
