// Command containlease runs plugins under containment leases and tells what became of them; see package cli.
package main

import (
	"os"

	"containlease/lease/host"
	"containlease/tools/cli"
)

func main() {
	host.GateMain()
	os.Exit(cli.Do(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
