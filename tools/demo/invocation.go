package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
)

// invocation is one `containlease run` of the plugin, watched.
type invocation struct {
	cmd    *exec.Cmd
	stdin  *os.File // the plugin stays until it is closed
	told   sync.WaitGroup
	lines  chan string // the plugin's standard output; closed when nobody can write to it any more
	daemon string      // the pid that the plugin's daemon gave
}

var transition = regexp.MustCompile(`event=(\w+) from=([\w-]+) to=([\w-]+)`)

// start runs the plugin and prints each durable transition as it happens.
func (d *demo) start(args ...string) (*invocation, error) {
	run := append([]string{"--log-level", "info", "run", "--grace", "30s", "--", d.pluginX}, args...)
	i := &invocation{cmd: d.command(run...), lines: make(chan string)}
	var ends [3][2]*os.File
	for n := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		ends[n] = [2]*os.File{r, w}
	}
	i.cmd.Stdin, i.cmd.Stdout, i.cmd.Stderr = ends[0][0], ends[1][1], ends[2][1]
	i.stdin = ends[0][1]
	err := i.cmd.Start()
	for _, theirs := range []*os.File{ends[0][0], ends[1][1], ends[2][1]} {
		theirs.Close()
	}
	i.told.Go(func() { watch(ends[2][0]) })
	go i.read(ends[1][0])
	return i, err
}

// watch retells the program's own messages until nobody can write any.
func watch(stderr io.ReadCloser) {
	defer stderr.Close()
	for s := bufio.NewScanner(stderr); s.Scan(); {
		if m := transition.FindStringSubmatch(s.Text()); m != nil {
			say("  on disk: %-15s %s -> %s", m[1], m[2], m[3])
		} else {
			say("  it says: %s", s.Text())
		}
	}
}

func (i *invocation) read(stdout io.ReadCloser) {
	defer close(i.lines)
	defer stdout.Close()
	for s := bufio.NewScanner(stdout); s.Scan(); {
		i.lines <- s.Text()
	}
}

// ready waits for the plugin's two lines: the lease as it saw it, and its daemon's pid.
func (i *invocation) ready() (lease string, err error) {
	for line := range i.lines {
		if l, ok := strings.CutPrefix(line, "lease "); ok {
			lease = l
		}
		if _, err := fmt.Sscanf(line, "daemon %s", &i.daemon); err == nil {
			return lease, nil
		}
	}
	return "", fmt.Errorf("the plugin never said that its daemon is up")
}

// silence waits until no process has the plugin's standard output or error any more.
func (i *invocation) silence() {
	for range i.lines {
	}
	i.told.Wait()
}

// end makes sure, whatever went wrong, that nothing of the invocation is left.
func (i *invocation) end() {
	i.stdin.Close()
	_ = i.cmd.Process.Kill() // an error means that it has ended
	_ = i.cmd.Wait()
	i.silence()
}
