package host_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"containlease/lease/cgroup"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// groupsIn are the groups in a group.
func groupsIn(t *testing.T, group string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(group)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// deserted waits until no process is in a group or below.
func deserted(t *testing.T, group string) {
	t.Helper()
	var at, up unix.Stat_t
	require.NoError(t, errors.Join(unix.Stat(group, &at), unix.Stat(filepath.Dir(group), &up)))
	g, err := cgroup.Open(cgroup.Place{Path: group, Inode: at.Ino, ParentInode: up.Ino})
	require.NoError(t, err)
	defer g.Close()
	empty, err := g.Await(patience)
	require.NoError(t, err)
	require.True(t, empty)
}

// Programs are killed in their first moments, again and again. The next run of their kind and one doctor
// leave no group of them, whoever they were.
func TestNoGroupIsLeftOfWhoWasKilledEarly(t *testing.T) {
	const kills, within = 80, 80 * time.Millisecond
	for _, who := range []string{"root", "somebody"} {
		t.Run(who, func(t *testing.T) {
			d, uid := newPrivate(t)
			as := func(role string) *exec.Cmd {
				if who == "root" {
					require.NoError(t, os.Chown(d.home, 0, 0))
					return as(role, "HOST_TEST_GROUP="+d.group, "HOST_TEST_HOME="+d.home)
				}
				return d.by(uid, role)
			}
			for i := range kills {
				ctx, cancel := context.WithTimeout(t.Context(), within*time.Duration(i+1)/kills)
				cmd := as("runs-true")
				cmd.Stderr = nil // what it is killed at, it may complain of
				victim := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
				victim.Env, victim.Dir = cmd.Env, cmd.Dir
				_ = victim.Run()
				cancel()
			}
			deserted(t, d.group)
			left := groupsIn(t, d.group)
			t.Logf("%d kills left %d groups: %v", kills, len(left), left)
			for _, name := range []string{"try-" + rand.Text(), uuid.NewString()} {
				path := filepath.Join(d.group, cgroup.Prefix+name)
				require.NoError(t, os.Mkdir(path, 0o755))
				if who == "somebody" {
					require.NoError(t, os.Chown(path, uid, uid))
				}
			}
			require.NoError(t, as("runs-true").Run())
			deserted(t, d.group)
			require.Empty(t, output(t, as("sweeps")))
			require.Empty(t, groupsIn(t, d.group))
		})
	}
}

// A run needs no doctor for what lies in its own group.
func TestARunClearsWhatKilledRunsLeftBesideIt(t *testing.T) {
	d, uid := newPrivate(t)
	deep := filepath.Join(d.group, "deeper")
	require.NoError(t, os.Mkdir(deep, 0o755))
	for _, path := range []string{d.group, deep} {
		for _, name := range []string{"try-" + rand.Text(), uuid.NewString()} {
			group := filepath.Join(path, cgroup.Prefix+name)
			require.NoError(t, os.Mkdir(group, 0o755))
			require.NoError(t, os.Chown(group, uid, uid))
		}
	}
	foreign := filepath.Join(d.group, cgroup.Prefix+uuid.NewString())
	require.NoError(t, os.Mkdir(foreign, 0o755))
	require.NoError(t, os.Chown(foreign, uid+1, uid+1)) // another user's
	require.NoError(t, d.by(uid, "runs-true").Run())
	require.ElementsMatch(t, []string{"deeper", filepath.Base(foreign)}, groupsIn(t, d.group))
	require.Len(t, groupsIn(t, deep), 2, "the run looks no further")
}

// Who removes a lease from where its group cannot be removed says what is left and why, and the next doctor
// finds it.
func TestRetireTellsOfAGroupThatItCannotRemove(t *testing.T) {
	needsRoot(t)
	for name, view := range map[string]struct {
		script string
		flags  []string
		says   string
	}{
		"which boot this is cannot be told": {`:`, []string{"--mount", "--pid", "--fork"}, "which boot"},
		"the hierarchy is not there": {`umount -l "$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | tail -n 1)"; mount -t proc proc /proc`,
			[]string{"--mount", "--pid", "--fork"}, "not of the unified hierarchy"},
		"a file system that is read-only": {`mount --bind "$arg" "$arg" && mount -o remount,bind,ro "$arg"; mount -t proc proc /proc`,
			[]string{"--mount", "--pid", "--fork"}, "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			group := newGroup(t)
			c := startCrash(t, "cgroup-v2", stubborn, "HOST_TEST_ROLE=owner-elsewhere", "HOST_TEST_GROUP="+group)
			path := c.boundary().Path
			letGo := hold(t, c)
			c.killOwner()
			require.NoError(t, c.gate.Wait(t.Context()))
			told := output(t, within(as("retires", "HOST_TEST_HOME="+c.reg.Dir()), view.script, group, view.flags...))
			require.Contains(t, told, "its control group is left behind")
			require.Contains(t, told, path)
			require.Contains(t, told, view.says)
			empty(t, c.reg)
			require.DirExists(t, path)
			letGo()
			left, err := c.reg.Sweep(t.Context())
			require.NoError(t, err)
			require.Empty(t, left)
			require.NoDirExists(t, path)
		})
	}
}

// What another home has a lease for is that home's to show; once that is no more, it is anybody's. A group of
// a lease of this home is no litter at all.
func TestWhoseLitterIsShown(t *testing.T) {
	d, uid := newPrivate(t)
	id := uuid.NewString()
	group := filepath.Join(d.group, cgroup.Prefix+id)
	other := filepath.Join(filepath.Dir(d.home), "other", "leases", id+".json")
	require.NoError(t, os.MkdirAll(filepath.Dir(other), 0o755))
	require.NoError(t, os.WriteFile(other, nil, 0o644))
	require.NoError(t, os.Mkdir(group, 0o755))
	require.NoError(t, os.Chown(group, uid, uid))
	require.NoError(t, unix.Setxattr(group, "user.containlease.home", []byte(filepath.Dir(filepath.Dir(other))), 0))
	require.NotContains(t, output(t, d.by(uid, "shows")), group)
	require.NoError(t, os.Remove(other))
	require.Contains(t, output(t, d.by(uid, "shows")), group+" an empty control group of a run that was killed")

	own := filepath.Join(d.home, "leases", id+".json")
	require.NoError(t, os.WriteFile(own, []byte("{}"), 0o600))
	require.NoError(t, os.Chown(own, uid, uid))
	require.NotContains(t, output(t, d.by(uid, "shows")), group)
	require.NotContains(t, output(t, d.by(uid, "sweeps")), group)
	require.DirExists(t, group)
	require.NoError(t, os.Remove(own))
	require.NotContains(t, output(t, d.by(uid, "sweeps")), group)
	require.NoDirExists(t, group)
}
