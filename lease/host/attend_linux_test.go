package host

import (
	"bufio"
	"errors"
	"os"
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

// TestNothingIsSaidAfterTheLastWord: a gate tells its owner of several things at a time, and the last word stays the last.
func TestNothingIsSaidAfterTheLastWord(t *testing.T) {
	g, gate := goneGate(t)
	require.NoError(t, gate.say(kindStatus, word{}))
	require.NoError(t, gate.say(kindEmpty, word{}))
	require.Error(t, gate.say(kindAsked, word{}))
	require.NoError(t, gate.Close())
	var said []kind
	for f, err := receive(g.conn.in); err == nil; f, err = receive(g.conn.in) {
		said = append(said, f.kind)
	}
	require.Equal(t, []kind{kindStatus, kindEmpty}, said)
	require.NoError(t, g.conn.Close())
	require.NoError(t, g.pidfd.Close())
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

// saying is one frame of a gate.
type saying struct {
	kind
	body any
}

// TestOnlyTheWholeProofIsOne: what is missing, comes twice, too late or is no word at all leaves the end unproved, and no status of 0 behind.
func TestOnlyTheWholeProofIsOne(t *testing.T) {
	started, status, nothing := saying{kindStarted, word{}}, saying{kindStatus, word{}}, saying{kindEmpty, word{}}
	for why, tt := range map[string][]saying{
		"":                           {started, {kindTrouble, word{Text: "for a moment"}}, status, nothing},
		"without its word":           {started, status},
		"not what became of":         {started, nothing},
		"after its last word":        {started, status, nothing, nothing},
		"nonsense: a frame '!'":      {started, status, {'!', word{}}, nothing},
		"nonsense: json":             {started, {kindStatus, "7"}, nothing},
		"could not prove the end: x": {started, status, {kindTrouble, word{Text: "x"}}},
		"heard any more: half":       {started, status, nothing, {kindEmpty, nil}},
	} {
		t.Run(why, func(t *testing.T) {
			g, gate := goneGate(t)
			for _, f := range tt {
				require.NoError(t, send(gate, f.kind, f.body))
			}
			require.NoError(t, gate.Close())
			e := g.attend(t.Context(), options{})
			if why == "" {
				require.NoError(t, e.unproved)
				return
			}
			require.ErrorContains(t, e.unproved, why)
			require.True(t, e.started)
		})
	}
}

// TestAnUnopenedGateIsStillHeard: it may have opened all the same, so only its own word is proof.
func TestAnUnopenedGateIsStillHeard(t *testing.T) {
	for _, said := range [][]saying{{{kindEmpty, word{}}}, {{kindStatus, word{}}, {kindEmpty, word{}}}, {{kindStarted, word{}}}} {
		g, gate := goneGate(t)
		g.conn.mute = unix.EIO
		g.open()
		require.ErrorIs(t, g.unopened, ErrGate)
		for _, f := range said {
			require.NoError(t, send(gate, f.kind, f.body))
		}
		require.NoError(t, gate.Close())
		e := g.attend(t.Context(), options{})
		require.Equal(t, len(said) == 2, e.failed == nil && e.unproved == nil, "%+v", e)
		require.Equal(t, said[0].kind == kindStarted, e.unproved != nil, "%+v", e)
	}
}

// TestAGateThatCannotBeWaitedFor has not ended for that, and neither has one that was never identified.
func TestAGateThatCannotBeWaitedFor(t *testing.T) {
	g := &gateProcess{dead: make(chan struct{}), lost: unix.ENOSYS}
	close(g.dead)
	require.ErrorIs(t, g.await(killWait), unix.ENOSYS)
	require.False(t, g.ended())
	g.lost = nil
	require.NoError(t, g.await(killWait))
	require.True(t, g.ended())
}

// TestAFullSocketIsNoWait: a gate that does not read is left after a moment, and sees the end.
func TestAFullSocketIsNoWait(t *testing.T) {
	owner, theirs, err := socketPair()
	require.NoError(t, err)
	defer owner.Close()
	defer theirs.Close()
	owner.patience = tick
	for err == nil {
		err = owner.say(kindSignal, word{})
	}
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, err, owner.say(kindSignal, word{}), "nothing is said after half a frame")
	gate := bufio.NewReader(theirs)
	for err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		_, err = receive(gate)
	}
	require.ErrorContains(t, err, "EOF")
}
