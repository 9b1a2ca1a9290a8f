// Decode measures the generated decoder beside other ways of reading a lease, in one
// run, and prints a table with the ratios.
//
//	decode            prints the table
//	decode -write     also puts it into its section of BENCHMARKS.md
//
// Every way decodes the same document, a canonical lease with a host. Each is measured
// many times in turn, shortly, and the best round counts: what the machine does besides
// falls on long rounds. The last column says on how many documents of schema/vectors the way
// gives another verdict than the schema wants: speed without it says nothing.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"containlease/tools/internal/section"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program: 0 is success, 1 a failure, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	testing.Init()
	flags := flag.NewFlagSet("decode", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "put the table into BENCHMARKS.md")
	root := flags.String("root", "..", "folder of the module containlease")
	rounds := flags.Int("rounds", 200, "how often each way is measured")
	each := flags.Duration("time", 2*time.Millisecond, "how long each measurement takes, about")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := flag.Set("test.benchtime", each.String()); err != nil {
		return 2
	}
	text, err := report(*root, *rounds)
	if err == nil {
		fmt.Fprint(stdout, text)
		if *write {
			err = section.Replace(filepath.Join(*root, "BENCHMARKS.md"), "decoder", text)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "decode:", err)
		return 1
	}
	return 0
}
