//go:build !linux

// Command torment attacks the whole program from outside. It needs Linux.
package main

import "fmt"

func main() { fmt.Println("SKIPPED: processes are tormented on Linux only") }
