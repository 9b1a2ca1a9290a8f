//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"containlease/lease/cgroup"
)

// beside is one run of which something is refused beside a living child.
type beside struct {
	*stage
	refusal
	dir, home string
	run       *exec.Cmd
	tracer    *exec.Cmd
	traced    []byte
	fired     bool
	broken    []string
}

// How long a run may take that is refused something, and how much of a processor.
const (
	runLimit = 40 * time.Second
	cpuLimit = 5 * time.Second
)

// leave DIR GROUP is the plugin: it leaves a child behind that is deaf to what can be ignored, has a session of its own, and moves
// itself to GROUP unless that is empty. It then says that it is up, waits to be let go, and ends with 3.
func leave(args []string) error {
	const script = `trap "" TERM HUP INT; [ -z "$1" ] || echo 0 >"$1/cgroup.procs"; : >left; exec sleep 600`
	sh, err := exec.LookPath("sh")
	if err == nil {
		_, err = syscall.ForkExec(sh, []string{"sh", "-c", script, args[0], args[1]}, &syscall.ProcAttr{
			Dir: args[0], Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true}})
	}
	if err == nil {
		_ = until(runLimit/8, filepath.Join(args[0], "left"))
		_ = until(runLimit/2, filepath.Join(args[0], "go"))
	}
	os.Exit(3)
	return nil
}

// until waits until there is such a file.
func until(limit time.Duration, path string) error {
	for end := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s did not come in %s", path, limit)
		}
	}
}

// try starts the run, has the tracer refuse it something from the moment on that it is about, and judges what comes of it.
func (b *beside) try() (end string, err error) {
	group := ""
	if b.leaves {
		if group, err = cgroup.Own(); err != nil {
			return "", err
		}
	}
	letGo, err := b.start(group)
	if err != nil {
		return "", err
	}
	defer letGo.Close()
	if b.who == everybody {
		err = b.attach(b.run.Process.Pid)
		err = errors.Join(err, os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600))
	}
	if _, werr := letGo.WriteString("\n"); werr != nil && err == nil {
		err = werr
	}
	if err == nil && b.who != everybody {
		err = b.meet()
	}
	if err != nil {
		return "", errors.Join(err, b.run.Process.Kill(), b.run.Wait(), b.complaint())
	}
	code := b.wait()
	b.traced, err = os.ReadFile(filepath.Join(b.dir, "strace"))
	b.fired = bytes.Contains(b.traced, []byte("(INJECTED)"))
	return b.judge(code), err
}

// complaint is what the run said, as an error.
func (b *beside) complaint() error {
	said, err := os.ReadFile(filepath.Join(b.dir, "said"))
	return errors.Join(err, errors.New(line(string(said))))
}

// start starts the run, which waits for a line at first.
func (b *beside) start(group string) (*os.File, error) {
	const script = `read x <&3; exec 3<&-; exec "$@"`
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	words := append([]string{"-c", script, "sh"}, b.command()...)
	b.run = exec.Command("sh", append(words, b.self, "leave", b.dir, group)...)
	said, err := os.Create(filepath.Join(b.dir, "said")) // no pipe: the child would hold it open
	if err != nil {
		return nil, err
	}
	defer said.Close()
	b.run.Stderr = said
	b.run.Dir, b.run.ExtraFiles = b.dir, []*os.File{r}
	if err := b.run.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// meet attaches the tracer to the owner, its only child, or the only child of that, once the plugin has left its child behind.
func (b *beside) meet() error {
	if err := until(runLimit/2, filepath.Join(b.dir, "left")); err != nil {
		return err
	}
	pid := b.run.Process.Pid
	for range b.below() {
		child, err := onlyChild(pid)
		if err != nil {
			return err
		}
		pid = child
	}
	if err := b.attach(pid); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o600)
}

// onlyChild is the one child of a process.
func onlyChild(pid int) (child int, err error) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			child = n
		}
	}
	if child == 0 {
		return 0, fmt.Errorf("pid %d has no child, or several", pid)
	}
	return child, nil
}

// attach returns once the tracer has all threads of pid.
func (b *beside) attach(pid int) error {
	b.tracer = exec.Command("strace", "-f", "-o", filepath.Join(b.dir, "strace"), "-e", "trace="+b.call, "-p", strconv.Itoa(pid))
	if b.errno != "" {
		b.tracer.Args = append(b.tracer.Args, "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", b.call, b.errno, b.when))
	}
	said, err := b.tracer.StderrPipe()
	if err != nil {
		return err
	}
	if err := b.tracer.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if strings.Contains(lines.Text(), fmt.Sprintf("Process %d attached", pid)) {
			go func() {
				for lines.Scan() {
				}
			}()
			return nil
		}
	}
	return fmt.Errorf("strace did not attach to %d", pid)
}

// wait returns the exit code of the run; -1: it had to be killed.
func (b *beside) wait() int {
	lost := time.AfterFunc(runLimit/2, b.free)
	defer lost.Stop()
	limit := time.AfterFunc(runLimit, func() { _ = b.run.Process.Kill() })
	_ = b.run.Wait()
	s := b.run.ProcessState
	switch {
	case !limit.Stop():
		b.breaks("the run did not end in %s, and used %s", runLimit, s.SystemTime()+s.UserTime())
	case s.SystemTime()+s.UserTime() > cpuLimit:
		b.breaks("the run used %s of a processor", s.SystemTime()+s.UserTime())
	}
	return s.ExitCode()
}

func (b *beside) breaks(format string, args ...any) {
	b.broken = append(b.broken, fmt.Sprintf(format, args...))
}

// judge holds what the run said against what is alive.
func (b *beside) judge(code int) (end string) {
	child, leases := b.child(), b.leases()
	switch {
	case leases > 0:
		end = "unsafe"
	case child == 0 && b.fair(code):
		end = "released"
	case child == 0:
		end = "not started"
	default:
		end = "released"
		b.breaks("the lease is gone, and the child, pid %d, lives (exit code %d)", child, code)
	}
	// 2: Go's run-time gives up where it cannot wake itself, by a write too.
	if code == 0 || b.who != everybody && !b.fair(code) && (code != 2 || leases == 0) {
		b.breaks("the exit code is %d; %s", code, end)
	}
	if child != 0 && leases > 0 {
		b.insist(child)
	}
	return end
}

// insist has the doctor, and then a run that recovers, try to clear the lease beside the child.
func (b *beside) insist(child int) {
	for _, args := range [][]string{{"doctor", "--apply"}, {"run", "--recover", "--boundary", b.boundary, "--", b.self, "leave"}} {
		ctx, cancel := context.WithTimeout(b.ctx, runLimit)
		out, err := exec.CommandContext(ctx, b.program, append([]string{"--home", b.home}, args...)...).CombinedOutput()
		cancel()
		if b.child() != child {
			return // it has ended meanwhile
		}
		if b.leases() == 0 || err == nil {
			b.breaks("%s clears the lease beside the child, pid %d: %v %s", args[0], child, err, line(string(out)))
		}
	}
}

func (b *beside) leases() int {
	names, _ := filepath.Glob(filepath.Join(b.home, "leases", "*.json"))
	return len(names)
}

// blocked is what the program ends with where the end is not proved.
const blocked = 76
