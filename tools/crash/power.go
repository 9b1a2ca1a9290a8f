//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"
)

// The file systems whose power is cut, with what makes one and the size of its image, of which only a part is ever written.
var grounds = []struct {
	name string
	mkfs []string
	size int64
}{
	{"ext4", []string{"mkfs.ext4", "-q", "-F"}, 64 << 20},
	{"xfs", []string{"mkfs.xfs", "-q", "-f"}, 320 << 20},
}

// powers cuts the power of each file system n times, each in a mount namespace of its own that ends with its process.
func (s *stage) powers(n int) error {
	var errs []error
	for _, g := range grounds {
		if n == 0 {
			break
		}
		if why := s.cannotCut(g.mkfs[0]); why != nil {
			fmt.Printf("SKIPPED: no power was cut on %s: %v\n", g.name, why)
			continue
		}
		image := filepath.Join(s.dir, g.name)
		if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, g.size)); err != nil {
			return err
		}
		if out, err := exec.CommandContext(s.ctx, g.mkfs[0], append(g.mkfs[1:], image)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", g.mkfs[0], err, out)
		}
		c := exec.CommandContext(s.ctx, s.self, "power", g.name, image, s.program, strconv.Itoa(n))
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if err := c.Run(); err != nil {
			errs = append(errs, fmt.Errorf("cutting the power of %s: %w", g.name, err))
		}
	}
	return errors.Join(errs...)
}

// cannotCut tries the whole way to a mounted image that is needed.
func (s *stage) cannotCut(mkfs string) error {
	if os.Geteuid() != 0 {
		return errors.New("only root can mount")
	}
	if _, err := exec.LookPath(mkfs); err != nil {
		return err
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		return err
	}
	if out, err := exec.CommandContext(s.ctx, "unshare", "--mount", "true").CombinedOutput(); err != nil {
		return fmt.Errorf("no mount namespace: %w: %s", err, out)
	}
	return nil
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

// cutPower FILE-SYSTEM IMAGE PROGRAM ROUNDS runs in a mount namespace of its own.
func cutPower(args []string) error {
	rounds, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	o := outage{stage: stage{ctx: context.Background(), self: self, program: args[2]}, image: args[1], mnt: args[1] + ".mnt"}
	if err := os.Mkdir(o.mnt, 0o700); err != nil {
		return err
	}
	var broken []string
	for range rounds {
		b, err := o.round()
		if err != nil {
			return err
		}
		broken = append(broken, b...)
	}
	for _, b := range broken {
		fmt.Println("BROKEN:", b)
	}
	fmt.Printf("%s: power cut %d times under load, %d writes acknowledged before, found on disk: %s; %d promises broken\n",
		args[0], rounds, o.acked, states(o.seen), len(broken))
	if o.late > 0 {
		fmt.Printf("%s: the kernel acknowledged %d writes after the cut had begun and lost them\n", args[0], o.late)
	}
	if len(broken) > 0 {
		return errBroken
	}
	return nil
}

type outage struct {
	stage
	image, mnt string
	acked      int // writes acknowledged before the cut
	late       int // leases whose acknowledgement came after the cut had begun, and was not true
	seen       map[fsm.State]int
}

// round is one load, one cut and what is found when the power is back.
func (o *outage) round() (broken []string, err error) {
	if err := o.mount(); err != nil {
		return nil, err
	}
	home := filepath.Join(o.mnt, "home")
	told, certain, err := o.load(home, 5+rand.IntN(120))
	if err != nil {
		return nil, errors.Join(err, unix.Unmount(o.mnt, 0))
	}
	if err := errors.Join(unix.Unmount(o.mnt, 0), o.mount()); err != nil {
		return nil, err
	}
	broken, err = o.judge(home, told, certain)
	return broken, errors.Join(err, unix.Unmount(o.mnt, 0))
}

// judge compares what is there with what was told, recovers as after a boot, and runs the next invocation.
func (o *outage) judge(home string, told []byte, certain int) (broken []string, err error) {
	o.acked += bytes.Count(told[:certain], []byte("ack "))
	j, err := readJournal(told, certain)
	if err != nil {
		return nil, err
	}
	seen, broken := j.promises(home)
	if o.seen == nil {
		o.seen = map[fsm.State]int{}
	}
	for _, s := range seen {
		o.seen[s]++
	}
	if all, err := readJournal(told, len(told)); err == nil {
		_, untrue := all.promises(home)
		o.late += len(untrue) - len(broken)
	}
	if err := o.reboot(home); err != nil {
		broken = append(broken, err.Error())
	}
	if left := leftovers(home); len(left) > 0 {
		broken = append(broken, fmt.Sprintf("after the next invocation there is still %v", left))
	}
	return broken, nil
}

// anotherBoot answers as this machine does after its power came back: evidence is not synced, for it decides only within one
// boot, and a forced shutdown leaves the kernel running.
type anotherBoot struct{ process.Inspector }

var nextBoot = process.Digest("crash-boot", uuid.NewString())

func (anotherBoot) Boot() (string, error) { return nextBoot, nil }

func (b anotherBoot) Self() (process.Process, error) {
	p, err := b.Inspector.Self()
	p.BootID = nextBoot
	return p, err
}

// reboot is what happens in the home after the boot: the doctor, and an invocation.
func (o *outage) reboot(home string) error {
	reg, err := lease.Open(o.ctx, home, lease.WithInspector(anotherBoot{process.New()}))
	if err != nil {
		return err
	}
	defer reg.Close()
	rows, err := reg.Repair(o.ctx, lease.RepairOptions{Apply: true})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if !r.Removed {
			return fmt.Errorf("lease %s cannot be recovered: %s, %w", r.ID, r.Verdict.Because, r.Err)
		}
	}
	host, err := hostOf(strconv.Itoa(os.Getpid()))
	if err != nil {
		return err
	}
	return scene.Cycle(o.ctx, reg, plugin, host, func(string, string, fsm.State) {})
}

func (o *outage) mount() error {
	out, err := exec.Command("mount", "-o", "loop", o.image, o.mnt).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mount: %w: %s", err, out)
	}
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
