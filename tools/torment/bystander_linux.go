package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"containlease/lease"

	"golang.org/x/sys/unix"
)

// notice has every signal that can be caught sent to ch, but for those.
func notice(ch chan<- os.Signal, but ...syscall.Signal) {
	for s := unix.SIGHUP; s < 65; s++ {
		if s != unix.SIGKILL && s != unix.SIGSTOP && !slices.Contains(but, s) {
			signal.Notify(ch, s)
		}
	}
}

// calm keeps Go's run-time from sending signals to itself.
const calm = "GODEBUG=asyncpreemptoff=1"

// stand is the bystander: it says "up", then every signal that it gets, and on every line that it
// reads "up" again.
// With any argument it stays after the last line.
func stand(args []string) error {
	got, asked := make(chan os.Signal, 1024), make(chan struct{})
	notice(got, unix.SIGCHLD) // which an owner's own gate brings it
	go func() {
		in := bufio.NewReader(os.Stdin)
		for {
			if _, err := in.ReadString('\n'); err != nil {
				if len(args) == 0 {
					close(asked)
				}
				return
			}
			asked <- struct{}{}
		}
	}()
	fmt.Println("up")
	for {
		select {
		case s := <-got:
			fmt.Println("signal", int(s.(syscall.Signal)))
		case _, more := <-asked:
			if !more {
				return nil
			}
			fmt.Println("up")
		}
	}
}

// bystander is a process that has nothing to do with any invocation: no signal may reach it.
type bystander struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	up    chan struct{}
	ended chan struct{}
	mu    sync.Mutex
	got   []string // the signals
}

// pid is its number, which nobody else can have before it is dismissed.
func (b *bystander) pid() int { return b.cmd.Process.Pid }

// summon starts a bystander with that much more in its environment.
func summon(self string, env ...string) (*bystander, error) {
	cmd := exec.Command(self, "stand")
	cmd.Env = append(append(os.Environ(), calm), env...)
	return attend(cmd)
}

// attend starts a command that is, or becomes, a bystander.
func attend(cmd *exec.Cmd) (*bystander, error) {
	b := &bystander{cmd: cmd, up: make(chan struct{}, 64), ended: make(chan struct{})}
	out, err := b.cmd.StdoutPipe()
	if err == nil {
		b.stdin, err = b.cmd.StdinPipe()
	}
	if err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go b.read(out)
	if err := b.answers(); err != nil {
		b.dismiss()
		return nil, err
	}
	return b, nil
}

func (b *bystander) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "up" {
			b.up <- struct{}{}
			continue
		}
		b.mu.Lock()
		b.got = append(b.got, lines.Text())
		b.mu.Unlock()
	}
	close(b.ended)
}

var errStruck = errors.New("a bystander was signalled")

// answers waits for its word, which it cannot give when it was stopped or killed.
func (b *bystander) answers() error {
	select {
	case <-b.up:
		return nil
	case <-b.ended:
		return fmt.Errorf("%w: pid %d has ended", errStruck, b.pid())
	case <-time.After(stuckAfter):
		return fmt.Errorf("%w: pid %d does not answer", errStruck, b.pid())
	}
}

// untouched asks it whether it is well, and says what has reached it.
func (b *bystander) untouched() error {
	if _, err := io.WriteString(b.stdin, "\n"); err != nil {
		return fmt.Errorf("%w: pid %d: %w", errStruck, b.pid(), err)
	}
	if err := b.answers(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.got) > 0 {
		return fmt.Errorf("%w: pid %d: %v", errStruck, b.pid(), b.got)
	}
	return nil
}

// dismiss ends it.
func (b *bystander) dismiss() {
	_ = b.stdin.Close()
	_ = b.cmd.Process.Kill()
	<-b.ended
	_ = b.cmd.Wait()
}

// crowd are bystanders of which some carry marks, of leases that are nobody's here.
func crowd(self string) (all []*bystander, err error) {
	foreign := "00000000-0000-4000-8000-000000000000"
	marked := lease.Mark + "=" + foreign
	for i, env := range []string{"A=b", marked, marked + ":" + foreign, "X" + marked} {
		b, err := summon(self, env)
		if err != nil {
			return all, fmt.Errorf("bystander %d: %w", i, err)
		}
		all = append(all, b)
	}
	return all, nil
}
