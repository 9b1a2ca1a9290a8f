package cli_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/tools/internal/scene"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

func init() {
	sessionCommands["every-state"] = everyState
	sessionCommands["unchanged"] = unchanged
	conditions["mounts"] = []string{"--mount", "mount", "--bind", "/etc", "/etc"}
}

// walks are the ways to every state that a lease can rest in.
var walks = map[string][]fsm.Event{
	"parent-owned":     {},
	"host-starting":    {fsm.HostStarting},
	"host-active":      {fsm.HostStarting, fsm.HostStarted},
	"cleanup-complete": {fsm.HostStarting, fsm.HostStarted, fsm.CleanupComplete},
	"cleanup-unsafe":   {fsm.HostStarting, fsm.HostStarted, fsm.CleanupUnsafe},
}

// every-state: leases in every state, all with a live owner, each of a plugin that is called like its state; the id of the
// host-active one is in $ID. Beside them are a malformed one and a foreign name.
func everyState(ts *testscript.TestScript, _ bool, _ []string) {
	ctx := context.Background()
	home := ts.Getenv("CONTAINLEASE_HOME")
	reg, err := lease.Open(ctx, home)
	ts.Check(err)
	ts.Defer(func() { ts.Check(reg.Close()) })
	self, err := process.New().Self()
	ts.Check(err)
	for state, walk := range walks {
		h, err := reg.Acquire(ctx, scene.Identity(state), "")
		ts.Check(err)
		ts.Defer(func() { ts.Check(h.Close()) })
		for _, ev := range walk {
			var args []any
			if ev == fsm.HostStarting || ev == fsm.HostStarted {
				args = append(args, lease.HostOf(self.Identity))
			}
			ts.Check(h.Event(ctx, ev, args...))
		}
		if state == "host-active" {
			ts.Setenv("ID", h.ID())
		}
	}
	for _, name := range []string{"11111111-1111-4111-8111-111111111111.json", "a stranger"} {
		ts.Check(os.WriteFile(filepath.Join(home, "leases", name), []byte("{}"), 0o600))
	}
}

// unchanged CODE CMD ARGS...: the command ends with this code, and has changed nothing in the home: no name, byte, mode or time.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	before, err := hashOf(ts.Getenv("CONTAINLEASE_HOME"))
	ts.Check(err)
	exits(ts, neg, args)
	after, err := hashOf(ts.Getenv("CONTAINLEASE_HOME"))
	ts.Check(err)
	if before != after {
		ts.Fatalf("%v has changed the home", args)
	}
}

// hashOf covers names, kinds, modes, owners, sizes, links, inodes, the times of change and the bytes of a tree.
func hashOf(root string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err := errors.Join(err, unix.Lstat(path, &st)); err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %o %d %d %d %d %d %d %d\n", path, st.Mode, st.Uid, st.Gid, st.Size, st.Nlink, st.Ino, st.Mtim.Nano(), st.Ctim.Nano())
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			sum.Write(b)
			return err
		}
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
