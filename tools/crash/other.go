//go:build !linux

// Command crash kills real processes at every system call. It needs Linux and strace.
package main

import "fmt"

func main() { fmt.Println("SKIPPED: system calls can be made to fail only on Linux") }
