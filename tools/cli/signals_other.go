//go:build !unix

package cli

import (
	"os"
	"syscall"
)

func forwarded() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

var stopping []os.Signal

// stopToo does nothing: there is no job control here.
func (caught) stopToo(os.Signal) {}
