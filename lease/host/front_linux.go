package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"containlease/gen/leasefile"
	"containlease/lease/process"

	"golang.org/x/sys/unix"
)

// front is what somebody else started in the plugin's place, on its own side: what is signalled to it reaches the plugin, and it
// ends as the plugin does. It holds nothing of the plugin's, so killing it loses nothing: the gate takes that for a request to stop.
type front struct {
	gate  *conn
	tty   bool // the plugin reads from a terminal
	files int  // the plugin's descriptors, from 0 on
}

// frontMain is a front: FD KIND PATH ARG0 ARGS…, the gate's control socket, its boundary, and the plugin.
func frontMain(args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("the words %q are none for a front", args)
	}
	fds, err := numbers(args[:1])
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 64)
	catch(signals)
	f := &front{tty: isTerminal(os.Stdin), files: fds[0]}
	if err := f.begin(leasefile.BoundaryKind(args[1]), args[2:]); err != nil {
		return err
	}
	// The kernel buries the gate if it ends before us, who wait for no child. Only now: what is ignored stays so in a child.
	signal.Ignore(unix.SIGCHLD)
	go f.pass(signals)
	return f.mirror()
}

// begin tells the owner that there is a front, and starts the gate with the plugin's files and both sockets.
func (f *front) begin(kind leasefile.BoundaryKind, plugin []string) error {
	control, err := inherited(f.files)
	if err != nil {
		return err
	}
	defer control.Close()
	link, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	f.gate = link
	b, err := boundaryOf(kind)
	if err != nil {
		return err
	}
	pass("the front is up")
	if err := send(control, kindFront, word{}); err != nil {
		return fmt.Errorf("the owner of the lease is gone, or waits no more: %w", err)
	}
	attr := &syscall.ProcAttr{Env: environ(), Sys: &syscall.SysProcAttr{Setpgid: !f.tty}}
	for fd := range f.files {
		attr.Files = append(attr.Files, uintptr(fd))
	}
	attr.Files = append(attr.Files, control.Fd(), theirs.Fd())
	b.shape(attr.Sys)
	argv := append([]string{gateName, strconv.Itoa(f.files), strconv.Itoa(f.files + 1)}, plugin...)
	pid, err := syscall.ForkExec("/proc/self/exe", argv, attr)
	pass("the gate starts")
	if err != nil {
		return os.NewSyscallError("starting the gate", err)
	}
	if gate, err := process.OpenPidfd(int64(pid)); err == nil { // the kernel does not bury it yet
		go f.outlive(gate)
	}
	return nil
}

// outlive sees to it that the gate's end ends this process, even if the socket does not tell of it: all has been said by then,
// unless somebody else holds the gate's end of it open.
func (f *front) outlive(gate *process.Pidfd) {
	if err := gate.Wait(context.Background()); err == nil {
		_ = f.gate.SetReadDeadline(time.Now().Add(killWait))
	}
}

// environ is the environment that this process was started with: it is the plugin's, whatever this program's packages made of
// their own before main began.
func environ() []string {
	text, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 })
}

// pass gives every signal to the plugin, by way of the gate.
func (f *front) pass(signals <-chan os.Signal) {
	for sig := range signals {
		if s, ok := sig.(syscall.Signal); ok && forwards(s, f.tty) {
			_ = send(f.gate, kindSignal, word{Number: int(s)})
		}
	}
}

// mirror ends this process as the plugin ends.
func (f *front) mirror() error {
	for {
		m, err := receive(f.gate.in)
		if err != nil {
			return fmt.Errorf("the gate did not open, or was killed: %w", err)
		}
		var w word
		if err := m.read(&w); err != nil {
			return fmt.Errorf("the gate spoke nonsense: %w", err)
		}
		switch m.kind {
		case kindStarted:
			letGo(f.files) // not before: until then this is the one to complain
		case kindFailed:
			fmt.Fprintln(os.Stderr, &StartError{Path: os.Args[3], Err: syscall.Errno(w.Number)})
			os.Exit(exitOfStart(syscall.Errno(w.Number)))
		case kindStatus:
			pass("the front ends")
			endAs(syscall.WaitStatus(w.Number))
		}
	}
}

// exitOfStart is what a shell says of a program that cannot be executed.
func exitOfStart(err error) int {
	if errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// endAs ends this process with the status of another. To die of a signal it needs the kernel's own handling of it, which
// Go's runtime replaces even where nobody is notified; the core, if any, was the plugin's.
func endAs(ws syscall.WaitStatus) {
	if !ws.Signaled() {
		os.Exit(ws.ExitStatus())
	}
	var byDefault [8]uint64 // a struct sigaction of zeros: SIG_DFL, no flags, nothing blocked
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(ws.Signal()), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), ws.Signal())
	code, _ := statusOf(ws)
	os.Exit(code)
}
