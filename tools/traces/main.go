// Traces holds what the tests do against the table of the lifecycle: every event that any test of any package gives to a
// machine is recorded as (state, event, outcome, state'), and afterwards each record must be a row of fsm.Table, a repeat, or
// a refused cell with its class, and every row, every repeat and every refused cell must have been recorded.
//
//	traces -overlay DIR     writes into DIR a build overlay whose machines record, and prints its path
//	traces -check DIR       judges what was recorded in DIR
//
// In between the tests are run with GOFLAGS=-overlay=PATH and CONTAINLEASE_TRACES=DIR, which reaches the programs that tests
// build and start too. `make test` does all three. The overlay renames Fire and Resume of fsm.Machine and puts recorder.go.txt
// before them; the library as it is shipped has no trace of it.
//
// Run it in the folder tools.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program: 0 is success, 1 is a record against the table, a cell without a record or a failure, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("traces", flag.ContinueOnError)
	flags.SetOutput(stderr)
	to := flags.String("overlay", "", "folder for the overlay")
	from := flags.String("check", "", "folder with the records")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var said string
	var err error
	switch {
	case *to != "" && *from == "":
		said, err = lay(*to)
	case *from != "" && *to == "":
		said, err = judge(*from)
	default:
		flags.Usage()
		return 2
	}
	if err != nil {
		fmt.Fprintln(stderr, "traces:", err)
		return 1
	}
	fmt.Fprintln(stdout, said)
	return 0
}
