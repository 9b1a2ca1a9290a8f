//go:build unix

// Command plugin is the third-party code of the demonstration. It shows the lease file that it finds at its first
// instruction, leaves a daemon behind as careless plugins do, and ends: at once, or with the argument "stay" when its
// standard input does, deaf to requests until then.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	var err error
	switch mode {
	case "daemonize":
		err = start("daemon", nil)
	case "daemon":
		fmt.Printf("daemon %d parent %d\n", os.Getpid(), os.Getppid())
		time.Sleep(time.Hour)
	default:
		err = plugin(mode == "stay")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}

func plugin(stay bool) error {
	if err := showLease(); err != nil {
		return err
	}
	// A daemon in the classical way: a child in a session of its own starts a grandchild and ends.
	said, err := daemonize()
	if err != nil {
		return err
	}
	if stay {
		signal.Ignore(syscall.SIGTERM) // not earlier: the daemon would inherit it
	}
	fmt.Print(said)
	if stay {
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return err
}

// showLease prints every lease of the home; there is one, its own.
func showLease() error {
	files, err := filepath.Glob(filepath.Join(os.Getenv("CONTAINLEASE_HOME"), "leases", "*.json"))
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		fmt.Printf("lease %s", b)
	}
	return nil
}

// daemonize returns the daemon's first line: it is up. Its standard error stays the plugin's.
func daemonize() (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = start("daemonize", w)
	w.Close()
	if err != nil {
		return "", err
	}
	return bufio.NewReader(r).ReadString('\n')
}

// start runs this program again in another mode, in a session of its own. The daemonizing child is waited for, the daemon
// is not.
func start(mode string, stdout *os.File) error {
	if stdout == nil {
		stdout = os.Stdout
	}
	c := exec.Command(os.Args[0], mode)
	c.Stdout, c.Stderr = stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return err
	}
	if mode == "daemon" {
		return c.Process.Release()
	}
	return c.Wait()
}
