package host

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
)

// gateName and frontName are argv[0] of a program that is started as its own gate or front.
const (
	gateName  = "containlease-gate"
	frontName = "containlease-front"
)

// mainCalled is set by GateMain in a normal start. Without it a program that is started again as its own gate
// would run its whole main once more.
var mainCalled atomic.Bool

// GateMain makes a program able to serve as its own gate, and as its own front. Call it as the first statement of main: in a normal
// start it returns at once; in a gate or a front it never returns.
func GateMain() {
	var name string
	if len(os.Args) > 0 {
		name = os.Args[0]
	}
	var err error
	switch name {
	case gateName:
		err = gateMain(os.Args[1:])
	case frontName:
		err = frontMain(os.Args[1:])
	default:
		mainCalled.Store(true)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(70)
	}
	os.Exit(0)
}

// gateMain is a gate: FD, the control socket, and behind a front LINK PATH ARG0 ARGS…, as frontMain has it.
func gateMain(args []string) error {
	fds, err := numbers(args[:min(len(args), 2)])
	if err != nil {
		return err
	}
	if len(fds) == 1 {
		return ServeGate(fds[0])
	}
	if len(args) < 4 {
		return fmt.Errorf("the words %q are none for a gate", args)
	}
	g := &gate{kids: &children{}, plugin: args[2:]}
	if g.conn, err = inherited(fds[0]); err != nil {
		return err
	}
	if g.front, err = inherited(fds[1]); err != nil {
		return err
	}
	return g.serve()
}

// numbers reads descriptors; there is at least one.
func numbers(words []string) ([]int, error) {
	var fds []int
	for _, word := range words {
		fd, err := strconv.Atoi(word)
		if err != nil || fd < 3 || slices.Contains(fds, fd) {
			return nil, fmt.Errorf("%q is no socket's descriptor", word)
		}
		fds = append(fds, fd)
	}
	if len(fds) == 0 {
		return nil, fmt.Errorf("a control socket's descriptor is missing")
	}
	return fds, nil
}
