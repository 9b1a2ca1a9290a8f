//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

func init() { runtime.LockOSThread() } // so that one thread makes all calls, and strace counts them

// Roles of this program. Its own children are told by their first argument what to do.
var roles = map[string]func(args []string) error{
	"cycle": driveCycle, "desert": desert, "tend": tend, "load": driveLoad, "power": cutPower, "trace": traceTree,
	"leave": leave, "prepare": prepare,
}

// driveCycle HOME HOST is the victim: one whole cycle, every attempt and every acknowledgement told on stdout before the next
// step.
func driveCycle(args []string) error {
	ctx := context.Background()
	host, err := hostOf(args[1])
	if err != nil {
		return err
	}
	begin()
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer reg.Close()
	return scene.Cycle(ctx, reg, plugin, host, tell(os.Stdout))
}

// plugin is the one that every victim runs: what one leaves behind blocks the next.
const plugin = "victim"

var identity = scene.Identity(plugin)

// tell writes one line for each word, in one call, outside the home: a writev, so that what befalls writes does not befall it.
func tell(to *os.File) scene.Teller {
	return func(word, id string, s fsm.State) {
		if _, err := unix.Writev(int(to.Fd()), [][]byte{fmt.Appendf(nil, "%s %q %s\n", word, id, s)}); err != nil {
			panic(err) // nobody listens: nothing that follows could be judged
		}
	}
}

// hostOf is the identity of a process that plays the host.
func hostOf(pid string) (h hostIdentity, err error) {
	n, err := strconv.ParseInt(pid, 10, 64)
	if err != nil {
		return h, err
	}
	p, err := process.New().Lookup(n)
	return lease.HostOf(p.Identity), err
}
