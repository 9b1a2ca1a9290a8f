package cli_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/lease/process"
	"containlease/persist/file"
	"containlease/tools/internal/scene"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

func init() { programs["owner"], programs["hides"] = owner, hides }

// owner HOW FIFO is a program of its own that owns a lease of plugin sh, comes into a condition, says "up" into the FIFO and stays until
// it is killed.
func owner() {
	err := odd[os.Args[1]](context.Background())
	if err == nil {
		err = os.WriteFile(os.Args[2], []byte("up\n"), 0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "owner:", err)
		os.Exit(1)
	}
	for {
		_ = unix.Pause()
	}
}

// odd are the conditions.
var odd = map[string]func(context.Context) error{
	"unsafe":  unsafeOwner,
	"lends":   lendsItsLock,
	"hidden":  hiddenOwner,
	"host":    hiddenHost,
	"foreign": func(context.Context) error { return foreignOwner(leasefile.ContainmentStatusHostActive) },
	"foreign-unsafe": func(context.Context) error {
		return foreignOwner(leasefile.ContainmentStatusCleanupUnsafe)
	},
	"v1": oldOwner,
}

func acquired(ctx context.Context) (*lease.Handle, error) {
	reg, err := lease.Open(ctx, os.Getenv("CONTAINLEASE_HOME"))
	if err != nil {
		return nil, err
	}
	return reg.Acquire(ctx, scene.Identity("sh"), "")
}

// unsafeOwner's gate is killed by the session: the end cannot be proved while it looks, and it stays.
func unsafeOwner(ctx context.Context) error {
	h, err := acquired(ctx)
	if err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", `echo started >ready; exec sleep 60`)
	_, err = host.Run(ctx, h, cmd, host.WithBoundary("pid-namespace"))
	if !errors.Is(err, host.ErrUnsafe) {
		return fmt.Errorf("it ended well: %w", err)
	}
	return nil
}

// lendsItsLock has a child that inherits the descriptor of its liveness lock: after its death the lock stays held.
func lendsItsLock(ctx context.Context) error {
	h, err := acquired(ctx)
	if err != nil {
		return err
	}
	lock, err := os.Stat(filepath.Join(h.Registry().Dir(), "owners", h.ID()+".lock"))
	if err != nil {
		return err
	}
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		return err
	}
	for _, link := range links {
		if open, err := os.Stat(link); err != nil || !os.SameFile(open, lock) {
			continue
		}
		number, err := strconv.Atoi(filepath.Base(link))
		if err != nil {
			return err
		}
		twin, err := unix.Dup(number) // of one open file, and so of one lock
		if err != nil {
			return err
		}
		heir := exec.Command("sleep", "60")
		heir.ExtraFiles = []*os.File{os.NewFile(uintptr(twin), link)}
		if err := heir.Start(); err != nil {
			return err
		}
		return os.WriteFile("heir", []byte(strconv.Itoa(heir.Process.Pid)), 0o600)
	}
	return errors.New("it has no lock")
}

// hide has /proc show nothing of this process to others of the same user, where it hides processes.
func hide() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

func hiddenOwner(ctx context.Context) error {
	_, err := acquired(ctx)
	return errors.Join(err, hide())
}

// hiddenHost has a host that is hidden, which waits at its gate.
func hiddenHost(ctx context.Context) error {
	h, err := acquired(ctx)
	if err != nil {
		return err
	}
	const name = "waits"
	if err := unix.Mkfifo(name, 0o600); err != nil {
		return err
	}
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"hides", name}}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := os.ReadFile(name); err != nil {
		return err
	}
	p, err := process.New().Lookup(int64(cmd.Process.Pid))
	if err != nil {
		return err
	}
	return h.Event(ctx, fsm.HostStarting, lease.HostOf(p.Identity))
}

// hides FIFO is that host.
func hides() {
	if err := errors.Join(hide(), os.WriteFile(os.Args[1], nil, 0)); err != nil {
		panic(err)
	}
	for {
		_ = unix.Pause()
	}
}

// foreignOwner is another program, which knows nothing of liveness locks and of evidence.
func foreignOwner(status leasefile.ContainmentStatus) error {
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	host := lease.HostOf(self.Identity)
	l := leasefile.LeaseV2{AcquiredAt: "2026-01-02T03:04:05.678Z", Identity: scene.Identity("sh"), LeaseID: uuid.NewString(),
		RunID: uuid.NewString(), Owner: ownerOf(self), Containment: leasefile.Containment{Status: status, Host: &host}}
	return put(&l, l.AppendCanonical(nil))
}

// oldOwner writes the first version of the schema, but keeps lock and evidence.
func oldOwner(context.Context) error {
	self, err := process.New().Self()
	if err != nil {
		return err
	}
	l := leasefile.LeaseV1{AcquiredAt: "2026-01-02T03:04:05.678Z", Identity: scene.Identity("sh"), LeaseID: uuid.NewString(),
		RunID: uuid.NewString(), Owner: ownerOf(self)}
	home, err := file.Open(os.Getenv("CONTAINLEASE_HOME"))
	if err != nil {
		return err
	}
	if _, err := home.Claim(l.LeaseID); err != nil {
		return err
	}
	ns, err := process.New().Namespaces()
	if err != nil {
		return err
	}
	pid, clock := int64(ns.PID), int64(ns.Time)
	ev := leasefile.EvidenceV1{LeaseID: l.LeaseID, Token: l.Owner.Token, Tool: "old", Version: "1", PIDNamespace: &pid, TimeNamespace: &clock,
		Boundary: leasefile.Boundary{Kind: leasefile.BoundaryKindNone}}
	if err := home.WriteRecord("owners/"+l.LeaseID+".json", ev.AppendCanonical(nil), file.Volatile); err != nil {
		return err
	}
	return put(&l, l.AppendCanonical(nil))
}

func ownerOf(p process.Process) leasefile.Owner {
	return leasefile.Owner{PID: p.PID, BootID: p.BootID, ProcessStartID: p.StartID, Token: uuid.NewString()}
}

func put(l leasefile.Lease, content []byte) error {
	return os.WriteFile(filepath.Join(os.Getenv("CONTAINLEASE_HOME"), "leases", l.ID()+".json"), content, 0o600)
}
