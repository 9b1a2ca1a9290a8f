package host

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inherited takes over a socket that this process was started with.
func inherited(fd int) (*conn, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil, fmt.Errorf("descriptor %d is no socket: the lease's owner has closed it, or did not start this process", fd)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("fcntl", err) // the plugin would have it, and the socket no end
	}
	return newConn(fd)
}

// greet gets its task and proves to the owner which process this is.
func (g *gate) greet() error {
	if err := expect(g.conn.in, kindSpec, &g.spec); err != nil {
		return fmt.Errorf("no word from the owner: %w", err)
	}
	if err := g.enter(); err != nil {
		_ = send(g.conn, kindFailed, word{Text: err.Error()})
		return err
	}
	pass("the gate is inside")
	if err := send(g.conn, kindHello, word{}); err != nil {
		return err
	}
	var w word
	if err := expect(g.conn.in, kindChallenge, &w); err != nil {
		return err
	}
	if err := send(g.conn, kindAnswer, w); err != nil {
		return err
	}
	return expect(g.conn.in, kindName, &g.self)
}

// enter gets everything ready for the plugin: the boundary, the process table, and that orphans come to us.
func (g *gate) enter() (err error) {
	if g.front != nil {
		g.spec.Path, g.spec.Args, g.spec.Env, g.spec.Dir = []byte(g.plugin[0]), bytesOf(g.plugin[1:]), bytesOf(environ()), nil
	}
	if err := adopt(); err != nil {
		return err
	}
	g.tty = isTerminal(os.Stdin)
	if g.inside, err = enclosureOf(g.spec.Boundary, g.tty); err != nil {
		return err
	}
	g.kids.proc, err = holdProcfs()
	return err
}

// adopt makes us a child subreaper, and sees that we are one: else no orphan would come to us, and none be missed.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", err)
	}
	var is int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0)
	if err == nil && is != 1 {
		err = unix.ENOTSUP
	}
	return os.NewSyscallError("prctl PR_GET_CHILD_SUBREAPER", err)
}
