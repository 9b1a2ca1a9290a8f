package host

import (
	"os/exec"
	"testing"

	"containlease/lease/process"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAnOwnerThatComesLateReadsFirst: stopped past its limit, it finds on waking both that the limit has passed and that the
// gate has proved the end.
func TestAnOwnerThatComesLateReadsFirst(t *testing.T) {
	for range 50 { // which of both a select sees first is chance
		g, gate := goneGate(t)
		for _, f := range []struct {
			kind
			word
		}{{kindStarted, word{}}, {kindStatus, word{Number: 7 << 8}}, {kindEmpty, word{}}} {
			require.NoError(t, send(gate, f.kind, f.word))
		}
		require.NoError(t, gate.Close())
		e := g.attend(t.Context(), options{grace: -killWait}) // over as soon as it begins
		require.NoError(t, e.unproved)
		require.Equal(t, 7, e.code)
	}
}

// TestALateOwnerIsNotPutOff: without the proof there is one reprieve.
func TestALateOwnerIsNotPutOff(t *testing.T) {
	g, gate := goneGate(t)
	defer gate.Close()
	require.NoError(t, send(gate, kindStatus, word{}))
	require.ErrorContains(t, g.attend(t.Context(), options{grace: -killWait}).unproved, "still alive")
}

// goneGate is a gate that has ended, to its owner; the test has its end of the socket.
func goneGate(t *testing.T) (*gateProcess, *conn) {
	t.Helper()
	cmd := exec.Command("true")
	require.NoError(t, cmd.Start())
	pidfd, err := process.OpenPidfd(int64(cmd.Process.Pid))
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
	owner, theirs, err := socketPair()
	require.NoError(t, err)
	fd, err := unix.FcntlInt(theirs.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	gate, err := newConn(fd)
	require.NoError(t, err)
	g := &gateProcess{conn: owner, pidfd: pidfd, boundary: bare{}, dead: make(chan struct{})}
	close(g.dead)
	return g, gate
}
