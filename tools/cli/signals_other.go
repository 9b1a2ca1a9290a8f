//go:build !unix

package cli

import (
	"os"
	"syscall"
)

func forwarded() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
