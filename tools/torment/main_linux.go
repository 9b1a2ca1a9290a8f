// Command torment is what `make torment` runs: trees of processes that fork, daemonize, leave their
// control group, clear their environment, lose their main thread, stop and turn a deaf ear, under
// containlease; their owners and gates are killed and stopped at random, and whatever an operator
// may type is typed. A checker that asks nobody but the kernel holds the program's answers against
// what lives. Then everything that is printed to be typed is typed after all the numbers in it have
// passed to strangers. It prints what it counted, and the seed and the story of a round that fails.
// With TORMENT_STORIES=1 in its environment it tells every story.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"containlease/lease/host"
)

// roles are what this program does as its own child.
var roles = map[string]func(args []string) error{
	"plugin": plugin, "node": child, "stand": stand, "init": initOf,
	"act": act, "keep": keeper, "own": own, "type": typeOut,
}

// order is what is asked for.
type order struct {
	form, scene     string
	rounds, workers int
	seed            uint64
	within          time.Duration
	typed, short    bool
	programs        string // where containlease and this program lie; "": they are built
}

func main() {
	host.GateMain()
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(os.Args[1], roles[os.Args[1]](os.Args[2:]))
	}
	var o order
	flag.StringVar(&o.form, "form", "", "only this form: "+fmt.Sprint(formNames()))
	flag.IntVar(&o.rounds, "rounds", 2000, "rounds, of all forms together")
	flag.IntVar(&o.workers, "workers", 2*runtime.NumCPU(), "rounds at a time")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "of the first round; then the next")
	flag.DurationVar(&o.within, "within", 20*time.Minute, "begin no round after this")
	flag.StringVar(&o.programs, "programs", "", "where the programs lie (default: they are built)")
	flag.BoolVar(&o.typed, "typed", true, "type what is printed, too")
	flag.BoolVar(&o.short, "short", false, "type each scene in one way only")
	flag.StringVar(&o.scene, "scene", "", "only this scene is typed")
	flag.Parse()
	ctx, stop := interruptible()
	err := torment(ctx, o)
	stop()
	end("torment", err)
}

// interruptible is a context that ends between two rounds.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

func end(who string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, who+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var errFaults = errors.New("promises were broken")
