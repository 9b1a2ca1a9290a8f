package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// initOf COMMAND... is the init of a PID namespace: it mounts what belongs to that, runs the
// command, buries whoever comes to it, and ends as the command does. Then the kernel ends
// everything else inside.
func initOf(argv []string) error { return govern(argv, false) }

// keeper is an init that stays when its command has ended.
func keeper(argv []string) error { return govern(argv, true) }

func govern(argv []string, stays bool) error {
	if os.Getpid() != 1 {
		return errors.New("it is not the init of a PID namespace")
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("mount", err)
	}
	err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if err != nil {
		return os.NewSyscallError("mount", err)
	}
	attr := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}}
	pid, err := syscall.ForkExec(argv[0], argv, attr)
	if err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	passOn(pid)
	return bury(pid, argv[0], stays)
}

// bury waits for everybody, and returns what became of the command, or never.
func bury(pid int, name string, stays bool) error {
	for {
		var status unix.WaitStatus
		ended, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ECHILD) && stays:
			select {}
		case err != nil:
			return os.NewSyscallError("wait4", err)
		case stays || ended != pid:
		case status.Exited():
			os.Exit(status.ExitStatus())
		default:
			return fmt.Errorf("%s: %s", name, status.Signal())
		}
	}
}

// passOn gives the command the wish to end.
func passOn(pid int) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		for s := range asked {
			_ = unix.Kill(pid, s.(syscall.Signal))
		}
	}()
}
