//go:build faultpoints

package host

import (
	"fmt"
	"net"
	"os"
)

// FaultSocket is the variable that names the socket at which the crash matrix listens.
const FaultSocket = "CONTAINLEASE_FAULT_SOCKET"

func pass(point string) { FaultPoint(point) }

// FaultPoint tells the crash matrix which point this process has reached, and waits to be let on: until then it does nothing,
// and may be killed. The socket's credentials say who it is. Once the matrix is gone every point lets on.
func FaultPoint(point string) {
	c, err := net.Dial("unix", os.Getenv(FaultSocket))
	if err != nil {
		return
	}
	defer c.Close()
	fmt.Fprintln(c, point)
	_, _ = c.Read(make([]byte, 1))
}
