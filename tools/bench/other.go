//go:build !linux

// Command bench measures the file store. Its targets are about Linux.
package main

import "fmt"

func main() { fmt.Println("SKIPPED: the targets are measured on Linux") }
