package file_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"containlease/lease/host"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// apartEnv names what this binary does as a process in a mount namespace of its own; its gates must not see it.
const apartEnv = "FILE_TEST_APART"

func init() {
	what := os.Getenv(apartEnv)
	os.Unsetenv(apartEnv)
	host.GateMain() // returns: this is no gate
	if what == "" {
		return
	}
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = apart[what](os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, what+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var apart = map[string]func(dir string) error{
	"tmpfs": fullTmpfs, "btrfs": fullBtrfs, "whole-btrfs": wholeBtrfs, "network": onNetwork,
}

var whole = flag.Bool("full", false, "fill btrfs at every call too, and not at one in seven: two minutes")

// TestFullAtEveryCall lets a real disk become full just before the n-th call that a whole cycle makes to it, and stay full, for
// every n: from the making of the home, over a real gate and plugin, to the release. btrfs is slow when it is full.
func TestFullAtEveryCall(t *testing.T) {
	btrfs := map[bool]string{false: "btrfs", true: "whole-btrfs"}[*whole]
	t.Run("tmpfs", func(t *testing.T) { runApart(t, "tmpfs") })
	t.Run(btrfs, func(t *testing.T) {
		if _, err := exec.LookPath("mkfs.btrfs"); err != nil {
			skipAloud(t, err)
		}
		runApart(t, btrfs)
	})
}

// runApart does what in a mount namespace, which takes its mounts with it, and logs what it says.
func runApart(t *testing.T, what string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount")
	}
	c := exec.Command(os.Args[0], t.TempDir())
	c.Env = append(os.Environ(), apartEnv+"="+what, "GORACE=atexit_sleep_ms=0") // else a gate with the race detector ends a second late
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	out, err := c.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		skipAloud(t, err)
	}
	require.NoError(t, err, "%s", out)
	t.Log(strings.TrimSpace(string(out)))
}

// skipAloud: in CI nothing may be missing.
func skipAloud(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip("SKIPPED: ", why)
}

// fullTmpfs is the strict ground: what is on record can be taken to its end without any space.
func fullTmpfs(dir string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		return err
	}
	return fullEverywhere(dir, 1, flood{spare: true})
}

// fullBtrfs copies on write: only what is complete can be released without space; the rest waits for it.
func fullBtrfs(dir string) error { return onBtrfs(dir, 7) }

func wholeBtrfs(dir string) error { return onBtrfs(dir, 1) }

func onBtrfs(dir string, step int) error {
	image, mnt := filepath.Join(dir, "image"), filepath.Join(dir, "mnt")
	if err := errors.Join(unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64m,mode=700"), os.Mkdir(mnt, 0o700), os.WriteFile(image, nil, 0o600), os.Truncate(image, 32<<20)); err != nil {
		return err
	}
	for _, c := range [][]string{{"mkfs.btrfs", "-q", "-f", "--mixed", image}, {"mount", "-o", "loop", image, mnt}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", c[0], err, out)
		}
	}
	return errors.Join(fullEverywhere(mnt, step, flood{}), unix.Unmount(mnt, 0))
}

// fullEverywhere is the loop over n, until a cycle ends before its n-th call.
func fullEverywhere(mnt string, step int, f flood) error {
	f.ctx, f.mnt = context.Background(), mnt
	var err error
	if f.marker, err = os.MkdirTemp("", "full-"); err != nil {
		return err
	}
	defer os.RemoveAll(f.marker)
	ends := map[string]int{}
	n := 1
	for ; ; n += step {
		end, fired, err := f.cycle(n)
		if err != nil {
			return fmt.Errorf("full at call %d: %w", n, err)
		}
		if !fired {
			break
		}
		ends[end]++
	}
	fmt.Printf("full from call 1, %d, %d... up to %d on: %v\n", 1+step, 1+2*step, n-step, ends)
	for _, end := range []string{noHome, refused, stopped, ran} {
		if ends[end] == 0 {
			return fmt.Errorf("no cycle was %s: the disk was not full, or the test is blind", end)
		}
	}
	return nil
}
