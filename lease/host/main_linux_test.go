package host_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"containlease/lease/cgroup"
	"containlease/lease/host"

	"golang.org/x/sys/unix"
)

// roles are what this binary can be when a test starts it again, chosen by HOST_TEST_ROLE.
var roles = map[string]func() error{
	"owner-elsewhere": func() error { return elsewhere(func() error { os.Exit(owner()); return nil }) },
	"completes":       completes,
	"dies-at-write":   diesAtWrite,
	"ladder-owner":    ladderOwner,
	"asks":            asks,
	"reuses-pid":      reusesPID,
	"hides":           func() error { return elsewhere(hides) },
	"looks-through":   func() error { return elsewhere(looksThrough) },
	"doctor":          func() error { return elsewhere(doctor) },
	"chooser":         func() error { return elsewhere(chooser) },
	"becomes-root":    becomesRoot,
	"forks-forever":   forksForever,
	"subreaper":       ownSubreaper,
	"leaves-cgroup":   leavesCgroup,
	"nests-cgroups":   nestsCgroups,
	"freezes":         freezes,
	"inherits-gate":   inheritsGate,
}

// played answers whether this process was started in a role, or the tests are run elsewhere, and with which exit code.
func played() (code int, yes bool) {
	if role := os.Getenv("HOST_TEST_ROLE"); role != "" {
		if err := roles[role](); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			return 1, true
		}
		return 0, true
	}
	if _, err := cgroup.Own(); err != nil && os.Geteuid() == 0 && os.Getenv("HOST_TEST_OWNER") == "" {
		return withCgroups(), true
	}
	return 0, false
}

// withCgroups runs all tests once more, in a mount namespace in which the unified hierarchy is mounted.
func withCgroups() int {
	const dir = "HOST_TEST_CGROUPS"
	if at := os.Getenv(dir); at != "" {
		fmt.Fprintln(os.Stderr, "the unified hierarchy cannot be mounted at", at)
		return 1
	}
	at, err := os.MkdirTemp("", "cgroups")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.Remove(at)
	cmd := exec.Command("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-c",
		`mount -t cgroup2 none "$1" && shift && exec "$@"`, "sh", at, "/proc/self/exe"}, os.Args[1:]...)...)
	if exe, err := os.Executable(); err == nil {
		cmd.Args[len(cmd.Args)-len(os.Args)] = exe
	}
	cmd.Env = append(os.Environ(), dir+"="+at)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// as starts this binary in a role, with a line of environment for each of env.
func as(role string, env ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "HOST_TEST_ROLE="+role), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// available skips, loudly, what this machine cannot do; as root on Linux, and on CI, everything must be possible.
func available(t *testing.T, kind string) {
	t.Helper()
	if _, err := host.Choose(host.WithBoundary(kind), host.AcceptUnproved()); err != nil {
		if os.Geteuid() == 0 || os.Getenv("CI") != "" {
			t.Fatalf("root, and CI, must be able to do this: %v", err)
		}
		t.Skipf("NOT TESTED: %v", err)
	}
}

func needsRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: needs root")
	}
}

// forksForever ignores TERM and makes children faster than anybody can list them.
func forksForever() error {
	script := `trap "" TERM; echo go; f() { (setsid sleep 300 &) ; }; while :; do f; done`
	return syscall.Exec("/bin/sh", []string{"sh", "-c", script}, os.Environ())
}

// ownSubreaper adopts its own orphans, and ends without waiting for them.
func ownSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	return exec.Command("sh", "-c", "(setsid sleep 300 &)").Run()
}
