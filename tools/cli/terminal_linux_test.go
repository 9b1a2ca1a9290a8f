package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// console is an interactive shell at a terminal of its own, and whoever sits in front of it.
type console struct {
	t      *testing.T
	dir    string // the shell's; the state home is in it
	master *os.File
	shell  *exec.Cmd
	over   *os.File // at its end once the shell and all that it started are gone

	mu    sync.Mutex
	heard []byte // and not yet expected
	more  chan struct{}
}

const prompt = `ready\$ `

// atTerminal starts the shell and waits for its prompt. What is typed is not echoed.
func atTerminal(t *testing.T) *console {
	t.Helper()
	c := &console{t: t, dir: t.TempDir(), more: make(chan struct{}, 1)}
	var slave *os.File
	c.master, slave = openTerminal(t)
	over, alive, err := os.Pipe()
	require.NoError(t, err)
	c.over = over
	c.shell = exec.Command("sh", "-i")
	c.shell.Dir, c.shell.ExtraFiles = c.dir, []*os.File{alive}
	c.shell.Env = append(os.Environ(), "PS1=ready$ ", "ENV=", "CONTAINLEASE_HOME="+filepath.Join(c.dir, "home"))
	c.shell.Stdin, c.shell.Stdout, c.shell.Stderr = slave, slave, slave
	c.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, c.shell.Start())
	require.NoError(t, slave.Close())
	require.NoError(t, alive.Close())
	go c.listen()
	t.Cleanup(c.hangUp)
	c.expect(prompt)
	return c
}

// openTerminal makes a terminal that does not echo; the slave is not yet anybody's controlling terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	require.NoError(t, err)
	raw, err := master.SyscallConn() // Fd would take it from the poller, and Close then waits for the reader
	require.NoError(t, err)
	var n int
	require.NoError(t, raw.Control(func(fd uintptr) {
		require.NoError(t, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
		n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	}))
	require.NoError(t, err)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	tios, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	require.NoError(t, err)
	tios.Lflag &^= unix.ECHO
	require.NoError(t, unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, tios))
	return master, slave
}

func (c *console) listen() {
	b := make([]byte, 4096)
	for {
		n, err := c.master.Read(b)
		c.mu.Lock()
		c.heard = append(c.heard, b[:n]...)
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// expect waits for the pattern, and forgets everything up to its end; it returns what was forgotten.
func (c *console) expect(pattern string) string {
	c.t.Helper()
	wanted, late := regexp.MustCompile(pattern), time.After(patience)
	for {
		c.mu.Lock()
		heard := string(c.heard)
		at := wanted.FindStringIndex(heard)
		if at != nil {
			c.heard = c.heard[at[1]:]
		}
		c.mu.Unlock()
		if at != nil {
			return heard[:at[1]]
		}
		select {
		case <-c.more:
		case <-late:
			require.FailNow(c.t, "the terminal does not say it", "%s, but only:\n%s", pattern, heard)
		}
	}
}

// types types, as it is; a line needs its newline.
func (c *console) types(text string) {
	c.t.Helper()
	_, err := c.master.WriteString(text)
	require.NoError(c.t, err)
}

// does has the shell do one thing, and returns what it says.
func (c *console) does(command string) string {
	c.t.Helper()
	c.types(command + "\n")
	return c.expect(prompt)
}

// nothingLeft requires that no lease is left in the home.
func (c *console) nothingLeft() {
	c.t.Helper()
	require.Contains(c.t, c.does("containlease list"), "no leases")
}

// hangUp closes the terminal and waits until all that ran at it is gone.
func (c *console) hangUp() {
	c.master.Close()
	_ = c.over.SetReadDeadline(time.Now().Add(patience))
	_, err := c.over.Read(make([]byte, 1))
	if os.IsTimeout(err) {
		_ = syscall.Kill(-c.shell.Process.Pid, syscall.SIGKILL)
		c.t.Error("somebody outlives the terminal")
	}
	_ = c.shell.Wait()
	c.over.Close()
}
