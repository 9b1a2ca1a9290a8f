package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"containlease/lease/cgroup"

	"github.com/stretchr/testify/require"
)

// leavesCgroup starts a child that is in the parent of our own group, if we are in one of a lease, and ends.
func leavesCgroup() error {
	own, err := cgroup.Own()
	if err != nil {
		return err
	}
	script := `echo $$ >"$0/cgroup.procs"; trap "" TERM; exec sleep 300`
	if cmd := exec.Command("sh", "-c", script, filepath.Dir(own)); strings.HasPrefix(filepath.Base(own), cgroup.Prefix) {
		err = cmd.Start()
	} else {
		err = exec.Command("sleep", "300").Start()
	}
	return err
}

// nestsCgroups leaves a child in a group of its own, three below ours.
func nestsCgroups() error {
	own, err := cgroup.Own()
	if err != nil {
		return err
	}
	below := filepath.Join(own, cgroup.Prefix+"test-a", "b", "c")
	if err := os.MkdirAll(below, 0o755); err != nil {
		return err
	}
	return exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs"; exec sleep 300`, below).Start()
}

// freezes leaves a child in a frozen group.
func freezes() error {
	own, err := cgroup.Own()
	if err != nil {
		return err
	}
	cold := filepath.Join(own, cgroup.Prefix+"test-cold")
	if err := os.Mkdir(cold, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs"; echo 1 >"$0/cgroup.freeze"; exec sleep 300`, cold)
	return cmd.Start()
}

// patience bounds every wait; it is only ever used up by a failure.
const patience = 20 * time.Second

// lifeline is a pipe whose one end every process of a plugin inherits: it ends when the last of them does, in whichever
// namespace it may be.
type lifeline struct {
	t    *testing.T
	read *os.File
	gift *os.File
}

func newLifeline(t *testing.T) *lifeline {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	return &lifeline{t, r, w}
}

// give has cmd inherit it.
func (l *lifeline) give(cmd *exec.Cmd) { cmd.ExtraFiles = append(cmd.ExtraFiles, l.gift) }

// requireCut fails unless every process that inherited it has ended.
func (l *lifeline) requireCut() {
	l.t.Helper()
	l.gift.Close()
	require.NoError(l.t, l.read.SetReadDeadline(time.Now().Add(patience)))
	_, err := l.read.Read(make([]byte, 1))
	require.EqualError(l.t, err, "EOF", "a process of the plugin is alive")
}

// requireWhole fails unless somebody who inherited it lives.
func (l *lifeline) requireWhole() {
	l.t.Helper()
	l.gift.Close()
	require.NoError(l.t, l.read.SetReadDeadline(time.Now().Add(time.Millisecond)))
	_, err := l.read.Read(make([]byte, 1))
	require.ErrorIs(l.t, err, os.ErrDeadlineExceeded, "the test wants a survivor")
}
