//go:build !unix

package cli

// nonBlocking is nothing where a path cannot be a FIFO.
const nonBlocking = 0
