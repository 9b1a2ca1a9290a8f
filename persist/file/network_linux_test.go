package file_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"containlease/persist"
	"containlease/persist/file"

	"golang.org/x/sys/unix"
)

// sftpServer is where Debian and others put the other end of sshfs.
const sftpServer = "/usr/lib/openssh/sftp-server"

// TestNetworkFileSystem has a home on a network file system that is one: sshfs, which talks to its server over the loopback.
func TestNetworkFileSystem(t *testing.T) {
	_, err := exec.LookPath("sshfs")
	_, serr := os.Stat(sftpServer)
	if why := errors.Join(err, serr); why != nil {
		skipAloud(t, why)
	}
	if _, err := os.Stat("/dev/fuse"); err != nil { // which nobody can install
		t.Skip("SKIPPED: no network file system can be mounted here: ", err)
	}
	runApart(t, "network")
}

// onNetwork: for writing the home is refused, by name and with nothing in it, unless that is asked for; reading needs no
// lock, and works.
func onNetwork(dir string) error {
	mnt, served := filepath.Join(dir, "mnt"), filepath.Join(dir, "served")
	if err := errors.Join(os.Mkdir(mnt, 0o700), os.Mkdir(served, 0o700)); err != nil {
		return err
	}
	if err := mountNetwork(served, mnt); err != nil {
		return err
	}
	err := useNetwork(served, mnt)
	return errors.Join(err, unix.Unmount(mnt, 0))
}

// mountNetwork serves one directory to one client.
func mountNetwork(served, mnt string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	server := exec.Command(sftpServer)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	answered := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			f, ferr := c.(*net.TCPConn).File()
			server.Stdin, server.Stdout = f, f
			err = errors.Join(ferr, server.Start(), f.Close(), c.Close())
		}
		answered <- err
	}()
	port := l.Addr().(*net.TCPAddr).Port
	// It returns when the file system is mounted, and its server ends with the mount or with this process.
	out, err := exec.Command("sshfs", "-o", "directport="+strconv.Itoa(port), "127.0.0.1:"+served, mnt).CombinedOutput()
	if err != nil {
		return fmt.Errorf("sshfs: %w: %s", err, out)
	}
	return <-answered
}

func useNetwork(served, mnt string) error {
	home := filepath.Join(mnt, "home")
	_, err := file.Create(home)
	if !errors.Is(err, file.ErrFilesystem) {
		return fmt.Errorf("making a home: %w", err)
	}
	fmt.Println("refused:", err)
	if _, err := os.Lstat(filepath.Join(served, "home")); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("a refused home is left behind: %w", err)
	}
	local, err := file.Create(filepath.Join(served, "home"))
	if err != nil {
		return err
	}
	a := persist.Attempt{Key: "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53", Op: persist.Create, Next: []byte("one")}
	if err := errors.Join(a.Do(context.Background(), local.Store(), nil), local.Close()); err != nil {
		return err
	}
	if _, err := file.Create(home); !errors.Is(err, file.ErrFilesystem) {
		return fmt.Errorf("writing to a home that is there: %w", err)
	}
	h, err := file.Open(home)
	if err != nil {
		return err
	}
	e, err := h.Store().Read(context.Background(), a.Key)
	if err = errors.Join(err, h.Close()); err != nil || string(e.Content) != "one" {
		return fmt.Errorf("reading: %q, %w", e.Content, err)
	}
	return live(filepath.Join(mnt, "allowed"))
}

// live takes a record through its life on a file system that was allowed by name: what the store falls back on is enough.
func live(home string) error {
	ctx := context.Background()
	h, err := file.Create(home, file.AllowAnyFilesystem())
	if err != nil {
		return err
	}
	var old []byte
	for _, w := range []struct {
		op   persist.Op
		next string
	}{{persist.Create, "one"}, {persist.Replace, "two"}, {persist.Replace, "three"}, {persist.Remove, ""}} {
		a := persist.Attempt{Key: "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53", Op: w.op, Old: persist.DigestOf(old), Next: []byte(w.next)}
		if err := a.Do(ctx, h.Store(), nil); err != nil {
			return fmt.Errorf("%v %q: %w", w.op, w.next, err)
		}
		old = a.Next
	}
	return errors.Join(nothingIn(home), h.Close())
}
