package file

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// On a read-only mount everything that reads works, locks included; what writes fails with the system's word.
func TestReadOnlyMount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount")
	}
	h, _ := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	defer live.Close()
	c := exec.Command(os.Args[0], h.Dir())
	c.Env = append(os.Environ(), childEnv+"=read-only")
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if out, err := c.CombinedOutput(); errors.Is(err, os.ErrPermission) {
		t.Skip("SKIPPED: no mount namespace here: ", err)
	} else {
		require.NoError(t, err, "%s", out)
	}
}

func init() { children["read-only"] = useReadOnly }

func useReadOnly(args []string) error {
	if err := errors.Join(unix.Mount(args[0], args[0], "", unix.MS_BIND, ""),
		unix.Mount("", args[0], "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")); err != nil {
		return fmt.Errorf("mounting: %w", err)
	}
	h, err := Open(args[0])
	if err != nil {
		return err
	}
	for e, err := range h.Store().List(ctx) {
		if err != nil || e.Err != nil || e.Key != keyA {
			return fmt.Errorf("listing %q: %w", e.Key, errors.Join(err, e.Err))
		}
	}
	if got, err := h.Probe(keyA); err != nil || got != Held {
		return fmt.Errorf("probing: %v %w", got, err)
	}
	for _, m := range []Mode{Shared, Exclusive} {
		lock, err := h.Lock(ctx, m, nil)
		if err != nil {
			return err
		}
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	for what, err := range map[string]error{
		"create": attempt(persist.Create, keyB, nil, body(1, 900)).Do(ctx, h.Store(), nil),
		"remove": attempt(persist.Remove, keyA, body(1, 900), nil).Do(ctx, h.Store(), nil),
		"record": h.WriteRecord("machine.json", body(1, 9), Volatile),
		"append": h.Append(ctx, auditName, body(1, 7)),
	} {
		if !errors.Is(err, syscall.EROFS) || errors.Is(err, persist.ErrUnsettled) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return nil
}
