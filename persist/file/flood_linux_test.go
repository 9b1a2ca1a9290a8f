package file_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/lease/host"
	"containlease/persist/file"

	"golang.org/x/sys/unix"
)

// flood is a disk that becomes full at a call of its home, and stays so until it drains.
type flood struct {
	ctx         context.Context
	mnt, marker string // marker is a directory elsewhere, where plugins leave their traces
	spare       bool   // a lease on record needs no space any more

	calls, full int
	water       *os.File
	err         error
}

// How a cycle on a full disk ends.
const (
	noHome  = "without a home" // none could be made
	refused = "refused"        // by acquire
	stopped = "stopped"        // the host was, and the plugin did not run
	ran     = "run"            // whole
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

var fullIdentity = leasefile.OperationIdentity{
	PluginID: "demo", PluginVersion: "1.0.0", SurfaceID: "demo", AdapterID: "demo", Transport: leasefile.TransportProviderAPI,
	Operation: "command.run", ContractVersion: 1, BundleSHA256: zeros, ManifestSHA256: zeros, DescriptorSHA256: zeros,
}

// call counts, and from the full-th on keeps the disk full to the last byte, whatever was given back meanwhile.
func (f *flood) call(string) {
	if f.calls++; f.calls < f.full || f.err != nil {
		return
	}
	if f.water == nil {
		if f.water, f.err = os.OpenFile(filepath.Join(f.mnt, "water"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); f.err != nil {
			f.err = fmt.Errorf("no water: %w", f.err)
			return
		}
	}
	f.rise()
}

var drops = make([]byte, 1<<20)

func (f *flood) rise() {
	for size := len(drops); size >= 1<<12; size >>= 4 {
		var err error
		for err == nil {
			_, err = f.water.Write(drops[:size])
		}
		if !errors.Is(err, syscall.ENOSPC) {
			f.err = err
		}
	}
}

// drain gives all space back.
func (f *flood) drain() error {
	f.full = 1 << 30
	err := f.err
	if f.water != nil {
		// A name can be removed where nothing else can be done; what it gives back comes with the sync.
		err = errors.Join(err, os.Remove(f.water.Name()), f.water.Close(), syncAll(f.mnt))
	}
	f.water, f.err = nil, nil
	return err
}

func syncAll(mnt string) error {
	d, err := os.Open(mnt)
	if err != nil {
		return err
	}
	defer d.Close()
	return unix.Syncfs(int(d.Fd()))
}

// cycle is one life in a home of its own on a disk that is full from the n-th call on, and another one when there is space again.
func (f *flood) cycle(n int) (end string, fired bool, err error) {
	home := filepath.Join(f.mnt, fmt.Sprint("home-", n))
	f.calls, f.full = 0, n
	end, late, err := f.life(home)
	fired = f.calls >= n
	if err := errors.Join(err, f.drain()); err != nil {
		return end, fired, err
	}
	if late != nil {
		if err := late(); err != nil {
			return end, fired, fmt.Errorf("there is space again: %w", err)
		}
	}
	f.calls = 0
	if again, late, err := f.life(home); err != nil || again != ran || late != nil {
		return end, fired, fmt.Errorf("there is space again, and a cycle is %s: %w", again, err)
	}
	return end, fired, os.RemoveAll(home)
}

// life is one whole cycle. What of it has to wait for space is late.
func (f *flood) life(home string) (end string, late func() error, err error) {
	reg, err := lease.Open(f.ctx, home, lease.WithHome(file.Watched(f.call)))
	if err != nil {
		return noHome, nil, onlyFull(err)
	}
	h, err := reg.Acquire(f.ctx, fullIdentity, "")
	if err != nil {
		if h != nil {
			return refused, nil, fmt.Errorf("acquire gives a handle: %w", err)
		}
		return refused, nil, errors.Join(onlyFull(err), f.look(home, fsm.StateAbsent), reg.Close())
	}
	if end, err = f.run(h); err != nil {
		return end, nil, err
	}
	if err := f.look(home, h.State()); err != nil {
		return end, nil, err
	}
	finish := func() error {
		return errors.Join(h.Event(f.ctx, fsm.CleanupComplete), h.Release(f.ctx), nothingIn(home), reg.Close())
	}
	if f.spare || h.State() == fsm.StateCleanupComplete {
		return end, nil, finish()
	}
	if err := h.Event(f.ctx, fsm.CleanupComplete); err != nil { // it waits for space, and memory says what the disk says
		return end, finish, errors.Join(onlyFull(err), f.look(home, h.State()))
	}
	return end, nil, finish()
}

// run has a real gate and plugin. What cannot be recorded does not run, and nothing of it is left.
func (f *flood) run(h *lease.Handle) (end string, err error) {
	trace := filepath.Join(f.marker, h.ID())
	res, err := host.Run(f.ctx, h, exec.Command("touch", trace), host.WithBoundary("subreaper"))
	_, serr := os.Stat(trace)
	if here := serr == nil; here != res.Started {
		return "", fmt.Errorf("the plugin ran: %t; the result says %t; %w", here, res.Started, err)
	}
	if pid, werr := unix.Wait4(-1, nil, unix.WNOHANG, nil); werr != unix.ECHILD {
		return "", fmt.Errorf("there is still a child: %d, %w", pid, werr)
	}
	switch {
	case res.Started && err == nil:
		return ran, nil
	case res.Started && !f.spare:
		return ran, onlyFull(err) // its end waits for space
	case res.Started:
		return ran, fmt.Errorf("a running invocation was not completed: %w", err)
	}
	return stopped, onlyFull(err)
}

// look is what list, show and doctor see of the home, which they leave as it is.
func (f *flood) look(home string, want fsm.State) error {
	before, err := treeOf(home)
	if err != nil {
		return err
	}
	reg, err := lease.Open(f.ctx, home, lease.ReadOnly())
	if err != nil {
		return err
	}
	found := fsm.StateAbsent
	for i, lerr := range reg.List(f.ctx) {
		shown, serr := reg.Inspect(f.ctx, i.ID)
		if err := errors.Join(lerr, i.Problem, serr); err != nil || shown.State != i.State {
			return fmt.Errorf("listed %s, shown %s: %w", i.State, shown.State, err)
		}
		found = i.State
	}
	rows, err := reg.Repair(f.ctx, lease.RepairOptions{})
	after, terr := treeOf(home)
	if err := errors.Join(err, terr, reg.Close()); err != nil || found != want || len(rows) > 1 || before != after {
		return fmt.Errorf("on disk is %s, not %s; %d rows; changed by looking: %t; %w", found, want, len(rows), before != after, err)
	}
	return nil
}

// treeOf is the names, modes, times and contents below root.
func treeOf(root string) (tree string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		tree += fmt.Sprintln(path, st.Mode, st.Size, st.Ino, st.Mtim, st.Ctim)
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			tree += fmt.Sprintf("%q\n", b)
			return err
		}
		return nil
	})
	return tree, err
}

func nothingIn(home string) error {
	for _, dir := range []string{"leases", "owners"} {
		left, err := os.ReadDir(filepath.Join(home, dir))
		if err != nil || len(left) > 0 {
			return fmt.Errorf("left in %s: %v, %w", dir, left, err)
		}
	}
	return nil
}

// onlyFull forgives the failure that a full disk is.
func onlyFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return fmt.Errorf("not for want of space: %w", err)
}
