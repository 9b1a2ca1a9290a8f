package cgroup

import (
	"crypto/rand"
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Try makes a group in the caller's own one, starts a process in it and removes it: nothing less says whether
// all of this is allowed. The process is one that cannot be executed, so nothing runs. ErrUnavailable, with the reason.
func Try() (err error) {
	own, err := Own()
	if err != nil {
		return err
	}
	g, err := makeHeld(own, Prefix+trialPrefix+rand.Text())
	if err != nil {
		return err
	}
	defer func() {
		if rerr := errors.Join(g.Remove(), g.Close()); rerr != nil && err == nil {
			err = fmt.Errorf("%w: %w", ErrUnavailable, rerr)
		}
	}()
	if err := unix.Faccessat(g.FD(), "cgroup.kill", unix.W_OK, 0); err != nil {
		return fmt.Errorf("%w: %s has no cgroup.kill that we may write (Linux 5.14 has it): %w", ErrUnavailable, own, err)
	}
	_, err = syscall.ForkExec("", []string{""}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD()}})
	if err == syscall.ENOENT { // from exec: it was born
		return nil
	}
	return fmt.Errorf("%w: a process cannot be started in a group below %s: %w", ErrUnavailable, own, err)
}
