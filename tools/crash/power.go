//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"containlease/fsm"
	"containlease/lease"
	"containlease/tools/internal/scene"

	"golang.org/x/sys/unix"
)

// powers cuts the power of each file system n times, each in a mount namespace of its own that ends with its process.
func (s *stage) powers(n int) error {
	var errs []error
	for _, g := range []scene.Ground{scene.Ext4, scene.XFS} {
		if n == 0 {
			break
		}
		image, why, err := g.Image(s.ctx, s.dir)
		if why != nil {
			errs = append(errs, scene.Skip("no power was cut on "+g.Name, why))
			continue
		}
		if err == nil {
			err = scene.Apart(s.ctx, "power", g.Name, image, s.program, strconv.Itoa(n))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("cutting the power of %s: %w", g.Name, err))
		}
	}
	return errors.Join(errs...)
}

// driveLoad HOME is the victim of a power cut: several goroutines take leases through their lives until writing fails.
func driveLoad(args []string) error {
	ctx := context.Background()
	host, err := hostOf(strconv.Itoa(os.Getpid()))
	if err != nil {
		return err
	}
	reg, err := lease.Open(ctx, args[0])
	if err != nil {
		return err
	}
	var mu sync.Mutex
	told := tell(os.Stdout)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for err := error(nil); err == nil; {
				err = scene.Cycle(ctx, reg, plugin, host, func(word, id string, s fsm.State) {
					mu.Lock()
					defer mu.Unlock()
					told(word, id, s)
				})
			}
		})
	}
	all.Wait()
	return nil
}

// load lets the victims work until they have said so much and cuts the power. It returns all that was said, and how much
// of it before the cut began: a kernel that is being shut down can acknowledge what it throws away.
func (o *outage) load(home string, words int) (told []byte, certain int, err error) {
	mnt, err := os.Open(o.mnt)
	if err != nil {
		return nil, 0, err
	}
	defer mnt.Close()
	c := exec.Command(o.self, "load", home)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	c.Stderr = os.Stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := c.Start(); err != nil {
		return nil, 0, err
	}
	s := bufio.NewScanner(stdout)
	for n := 0; s.Scan(); n++ {
		told = append(append(told, s.Bytes()...), '\n')
		if n == words {
			certain = len(told)
			err = shutdown(mnt)
		}
	}
	return told, certain, errors.Join(err, s.Err(), c.Wait())
}

// shutdown is EXT4_IOC_SHUTDOWN, which xfs has too, with the flag that nothing is flushed any more, the log included.
func shutdown(f *os.File) error {
	const goingDown, noLogFlush = 0x8004587d, 2
	flag := uint32(noLogFlush)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), goingDown, uintptr(unsafe.Pointer(&flag))); errno != 0 {
		return fmt.Errorf("shutting the file system down: %w", errno)
	}
	return nil
}
