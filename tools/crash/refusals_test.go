//go:build linux

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"containlease/tools/internal/answers"

	"github.com/stretchr/testify/require"
)

// What is refused to the gate's waits, to its words and to the owner's ears, in every boundary; all of it is `make crash`.
func TestRefusals(t *testing.T) {
	s := newStage(t)
	out := outcome{ends: map[string]int{}}
	var chosen []refusal
	for _, r := range []refusal{
		{who: everybody, call: "waitid", errno: "ENOSYS", when: "1+"},
		{who: answers.Gate, call: "waitid", errno: "ENOSYS", when: "1+"},
		{who: answers.Gate, call: "waitid", errno: "EPERM", when: "2"},
		{who: answers.Gate, call: "waitid", errno: "EINTR", when: "1+"},
		{who: answers.Gate, call: "wait4", errno: "ENOSYS", when: "1+"},
		{who: answers.Gate, call: "wait4", errno: "EIO", when: "1"},
		{who: answers.Gate, call: "wait4", errno: "ECHILD", when: "1+"},
		{who: answers.Gate, call: "wait4", errno: "EINTR", when: "1+"},
		{who: answers.Gate, call: "kill", errno: "EPERM", when: "1+"},
		{who: answers.Gate, call: "write", errno: "EPERM", when: "1+"},
		{who: answers.Owner, call: "recvmsg", errno: "EIO", when: "1"},
		{who: everybody, call: "prctl", errno: "EPERM", when: "1+"},
		{who: answers.Front, prepared: true, call: "recvmsg", errno: "EAGAIN", when: "1+"},
		{who: answers.Front, prepared: true, call: "recvmsg", errno: "EIO", when: "1"},
	} {
		for _, r.boundary = range []string{"subreaper", "pid-namespace"} {
			chosen = append(chosen, r)
		}
	}
	require.NoError(t, inParallel(chosen, time.Now().Add(time.Hour), func(r refusal) error { return s.refuseOne(r, &out) }))
	require.Equal(t, len(chosen), out.fired, "not all of them came")
	require.Empty(t, out.broken)
	require.Greater(t, out.ends["unsafe"], 0)
	require.Greater(t, out.ends["released"], 0)
}

// What is alive beside no lease is seen, and so is a run that ends with 0.
func TestRefusalsJudge(t *testing.T) {
	b := beside{stage: &stage{ctx: t.Context(), program: "false"}, dir: t.TempDir(), refusal: refusal{who: answers.Gate}}
	b.home = filepath.Join(b.dir, "home")
	child := exec.Command("sleep", "600")
	child.Dir = b.dir
	require.NoError(t, child.Start())
	require.Eventually(t, func() bool { return b.child() == child.Process.Pid }, runLimit, runLimit/10000)
	b.judge(3)
	require.Len(t, b.broken, 1)
	require.Contains(t, b.broken[0], strconv.Itoa(child.Process.Pid))
	require.NoError(t, child.Process.Kill())
	_ = child.Wait()
	b.judge(0)
	require.Len(t, b.broken, 2)
	require.Contains(t, b.broken[1], "exit code")
}

// Whatever owner, front and gate call once the plugin runs is in the table of answers, in that of the other lives, or harmless.
func TestRefusalsCensus(t *testing.T) {
	s := newStage(t)
	for _, who := range []string{answers.Owner, answers.Gate, answers.Front} {
		require.NoError(t, s.inTrial(func(dir string) error {
			b := beside{stage: s, dir: dir, home: filepath.Join(dir, "home"), refusal: refusal{boundary: "subreaper", who: who, call: "all"}}
			b.prepared = who == answers.Front
			_, err := b.try()
			require.NoError(t, err)
			traced := string(b.traced)
			require.NoError(t, b.clear())
			require.Regexp(t, regexp.MustCompile(`(?m)(recvmsg|wait4)\(`), traced)
			require.NoError(t, known(life{name: who}, traced, answers.Calls(who, true)...))
			return nil
		}))
	}
	for _, a := range answers.Table {
		require.False(t, slices.Contains([]string{a.Counts, a.Otherwise, a.For}, ""), "%+v", a)
	}
}
