package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"containlease/gen/leasefile"
	"containlease/lease"

	"golang.org/x/sys/unix"
)

// pidNamespace makes the gate the init of a PID namespace: when it has ended, the kernel has killed everything inside, and
// whoever entered from outside. The gate sees itself as pid 1; its owner knows it by the pid that the socket's credentials
// give in the owner's own namespace.
type pidNamespace struct{}

func (pidNamespace) build(context.Context, *lease.Handle) error { return nil }

func (pidNamespace) record() leasefile.Boundary {
	return leasefile.Boundary{Kind: leasefile.BoundaryKindPIDNamespace}
}

// shape asks for the namespace and a mount namespace, which the gate's own /proc needs. Who may not make them gets a user
// namespace first, in which everybody keeps the own number, and the gate one privilege until it has mounted /proc.
func (pidNamespace) shape(a *syscall.SysProcAttr) {
	a.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWNS
	if mayMount() {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN}
}

// mayMount reports whether we have CAP_SYS_ADMIN here.
func mayMount() bool {
	var data [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0])
	return err == nil && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// stop kills the init, and so everything.
func (pidNamespace) stop(g *gateProcess) string {
	if err := g.end(0); err != nil {
		return fmt.Sprintf("its PID namespace could not be ended: %v", err)
	}
	return "its gate, the init of its PID namespace, is dead, and with it everything inside"
}

func (pidNamespace) dissolve() error { return nil }

type insidePIDNamespace struct{ insideNothing }

// enter gives the namespace a /proc of its own, and gives up the privilege for it.
func (insidePIDNamespace) enter() error {
	if os.Getpid() != 1 {
		return errors.New("the gate is not the init of a new PID namespace")
	}
	// Else what is mounted here would be seen by everybody.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("own mounts: %w", os.NewSyscallError("mount", err))
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("an own /proc (containers often forbid it): %w", os.NewSyscallError("mount", err))
	}
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	return os.NewSyscallError("prctl PR_CAP_AMBIENT_CLEAR_ALL", err)
}

// kill reaches every process of the namespace but its init.
func (insidePIDNamespace) kill(*children) { _ = unix.Kill(-1, unix.SIGKILL) }
