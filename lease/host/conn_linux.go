package host

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// conn is one end of the control socket. As a reader it notes who sent what it read last, as the kernel tells it: right
// across PID namespaces, and not to be forged.
type conn struct {
	*os.File
	in   *bufio.Reader
	peer int // pid of the last sender, in our namespace; 0 where it has none here

	mouth    sync.Mutex
	mute     error         // why nothing is said any more
	patience time.Duration // how long one frame may take to be said; 0: as long as it takes
}

// errLastWord: what was said last was the last word.
var errLastWord = errors.New("the last word was said")

// say sends one frame, whoever else does. After the last word nothing is said any more, nor after a frame that failed: then the other
// side sees the end, for half a frame would make nonsense of the next, and who is not heard must not be waited for.
func (c *conn) say(k kind, body any) error {
	c.mouth.Lock()
	defer c.mouth.Unlock()
	if c.mute != nil {
		return c.mute
	}
	if c.patience > 0 {
		c.mute = c.SetWriteDeadline(time.Now().Add(c.patience))
	}
	if c.mute == nil {
		c.mute = send(c, k, body)
	}
	if c.mute != nil {
		c.hangUp()
		return c.mute
	}
	if k == kindEmpty {
		c.mute = errLastWord
	}
	return nil
}

// hangUp lets the other side see the end, and hears it all the same.
func (c *conn) hangUp() {
	raw, err := c.SyscallConn()
	if err == nil {
		var shut error
		err = errors.Join(raw.Control(func(fd uintptr) { shut = unix.Shutdown(int(fd), unix.SHUT_WR) }), shut)
	}
	if err != nil {
		c.Close() // then it hears nothing either, and what is not heard is not proved
	}
}

// socketPair returns the owner's end, and the gate's as a file to be inherited.
func socketPair() (*conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	gate := os.NewFile(uintptr(fds[1]), "gate's control socket")
	if err := unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1); err != nil {
		unix.Close(fds[0])
		gate.Close()
		return nil, nil, os.NewSyscallError("setsockopt SO_PASSCRED", err)
	}
	c, err := newConn(fds[0])
	if err != nil {
		gate.Close()
		return nil, nil, err
	}
	return c, gate, nil
}

// newConn takes over fd.
func newConn(fd int) (*conn, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl", err)
	}
	c := &conn{File: os.NewFile(uintptr(fd), "control socket"), patience: killWait}
	c.in = bufio.NewReader(reader{c})
	return c, nil
}

// interrupted bounds how often a call is made again that was interrupted: nothing interrupts for ever.
const interrupted = 100

// reader is conn without the methods of *os.File by which bufio could go around it.
type reader struct{ c *conn }

func (r reader) Read(p []byte) (int, error) {
	raw, err := r.c.SyscallConn()
	if err != nil {
		return 0, err
	}
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	var n, oobn int
	var rerr error
	err = raw.Read(func(fd uintptr) bool {
		for range interrupted {
			n, oobn, _, _, rerr = unix.Recvmsg(int(fd), p, oob, unix.MSG_CMSG_CLOEXEC)
			if rerr != unix.EINTR {
				break
			}
		}
		return rerr != unix.EAGAIN
	})
	switch {
	case err != nil:
		return 0, err
	case rerr != nil:
		return 0, os.NewSyscallError("recvmsg", rerr)
	case n == 0:
		return 0, io.EOF
	}
	return n, r.c.note(oob[:oobn])
}

// hungUp reports whether the other side is gone. Of no socket it never is.
func (c *conn) hungUp() bool {
	if c == nil {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	up := false
	err = raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd)}} // a hang-up is told unasked
		_, perr := unix.Poll(polled, 0)
		up = perr == nil && polled[0].Revents&unix.POLLHUP == 0
	})
	return err != nil || !up
}

// note keeps the sender's pid from the ancillary data; the gate's end asks for none. What comes without is nobody's.
func (c *conn) note(oob []byte) error {
	c.peer = 0
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return fmt.Errorf("ancillary data: %w", err)
	}
	for _, m := range msgs {
		if cred, err := unix.ParseUnixCredentials(&m); err == nil {
			c.peer = int(cred.Pid)
		}
	}
	return nil
}
