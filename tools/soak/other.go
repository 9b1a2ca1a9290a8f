//go:build !linux

// Command soak lets many processes meet in one home. It needs Linux.
package main

import "fmt"

func main() { fmt.Println("SKIPPED: processes are met on Linux only") }
