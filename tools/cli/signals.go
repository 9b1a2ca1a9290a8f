package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// caught are the signals that a plugin may be sent, from catch until close. One that our caller had ignored (nohup) stays ignored.
type caught chan os.Signal

func catch() caught {
	c := make(caught, 64)
	for _, s := range forwarded() {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

func (c caught) close() { signal.Stop(c) }

// terminal are the signals that end a wait: before a plugin is there, there is nobody to forward them to.
var terminal = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// untilSignal is a context that ends with the first terminal signal; stop ends the watch and returns that signal or nil. What means
// a stop stops this program: there is no plugin yet to decide.
func (c caught) untilSignal() (ctx context.Context, stop func() os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	over, got := make(chan struct{}), make(chan os.Signal, 1)
	go func() {
		defer close(got)
		for {
			select {
			case s := <-c:
				if slices.Contains(stopping, s) {
					c.stopToo(s)
				}
				if slices.Contains(terminal, s) {
					got <- s
					cancel()
					return
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, func() os.Signal {
		close(over)
		defer cancel()
		return <-got
	}
}

func signalNumber(s os.Signal) int {
	n, _ := s.(syscall.Signal) // every os.Signal of this program is one
	return int(n)
}
