package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Exit codes of containlease that are met here.
const (
	exitNotFound = 66
	exitBug      = 70
	exitBlocked  = 76
)

// mistyped is what it says to whoever has typed what it does not understand.
const mistyped = "See `containlease help`"

// answer is what a command ended with, printed, and said beside.
type answer struct {
	code      int
	out, said string
}

// typed runs one command to its end.
func (r *round) typed(args ...string) answer {
	return r.finished(r.command(args...), "containlease "+strings.Join(args, " "))
}

// finished runs a command that has to end in time.
func (r *round) finished(cmd *exec.Cmd, words string) answer {
	began := time.Now()
	a := r.finishedIn(cmd, words, stuckAfter)
	if time.Since(began) > stuckAfter {
		r.fault("it hangs: %s", words)
	}
	return a
}

// finishedIn runs a command, ends it after some time, and judges its end.
func (r *round) finishedIn(cmd *exec.Cmd, words string, limit time.Duration) answer {
	r.commands.Add(1)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	if err := cmd.Start(); err != nil {
		r.must(err)
		return answer{code: -1}
	}
	waitIn(cmd.Process.Pid, cmd.SysProcAttr.Setpgid, limit)
	_ = cmd.Wait() // how it ended is judged by its code
	a := answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	r.tell("typed: %s: %d\n%s%s", words, a.code, shorten(a.out), a.said)
	r.judge(words, a.code, a.said)
	return a
}

// waitIn waits for a child without burying it, so that its number, and its group's, is its own when
// it has to be killed.
func waitIn(pid int, group bool, limit time.Duration) {
	ended := make(chan struct{})
	go func() {
		for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
		}
		close(ended)
	}()
	select {
	case <-ended:
		return
	case <-time.After(limit):
	}
	if group {
		pid = -pid
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	<-ended
}

// shorten keeps stories readable.
func shorten(s string) string {
	const enough = 1500
	if len(s) > enough {
		return s[:enough] + " [...]"
	}
	return s
}

// judge holds an end against what no command may ever do.
func (r *round) judge(words string, code int, said string) {
	if code == exitBug || strings.Contains(said, "panic:") || strings.Contains(said, "goroutine ") {
		r.fault("it broke down: %s: %d: %s", words, code, said)
	}
}
