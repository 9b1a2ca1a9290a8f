package cgroup

import (
	"bufio"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const patience = 20 * time.Second

// makeGroup makes a group for a test, or skips loudly where none can be made.
func makeGroup(t *testing.T) *Group {
	t.Helper()
	if err := Try(); err != nil {
		t.Skipf("NOT TESTED: %v", err) // as root package host's tests mount what is missing
	}
	own, err := Own()
	require.NoError(t, err)
	g, err := Make(own, Prefix+"test-"+rand.Text())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, g.Kill())
		_, err := g.Await(patience)
		require.NoError(t, err)
		require.NoError(t, g.Remove())
		require.NoError(t, g.Close())
	})
	return g
}

// start starts a script in g, and returns once it has said something.
func start(t *testing.T, g *Group, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script, "sh", g.Place().Path)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.FD(), Pdeathsig: unix.SIGKILL}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.True(t, bufio.NewScanner(out).Scan())
	return cmd
}

func requireState(t *testing.T, want State, p Place) {
	t.Helper()
	got, fact := Look(p)
	require.Equal(t, want, got, fact)
	require.NotEmpty(t, fact)
}

func TestAGroupsLife(t *testing.T) {
	g := makeGroup(t)
	requireState(t, Vacant, g.Place())
	empty, err := g.Await(0)
	require.NoError(t, err)
	require.True(t, empty)

	cmd := start(t, g, `trap "" TERM; echo up; while :; do sleep 300; done`)
	requireState(t, Populated, g.Place())
	empty, err = g.Await(time.Millisecond)
	require.NoError(t, err)
	require.False(t, empty)
	require.ErrorIs(t, g.Remove(), ErrOccupied)
	require.ErrorIs(t, Remove(g.Place()), ErrOccupied)

	require.NoError(t, g.Kill())
	empty, err = g.Await(patience)
	require.NoError(t, err)
	require.True(t, empty)
	requireState(t, Vacant, g.Place())
	require.Error(t, cmd.Wait())

	require.NoError(t, Remove(g.Place()))
	requireState(t, Gone, g.Place())
	require.NoError(t, Remove(g.Place()), "what is gone needs no removal")
	require.NoError(t, g.Kill())
	empty, err = g.Await(0)
	require.NoError(t, err)
	require.True(t, empty)
}

func TestAGroupWithGroupsInIt(t *testing.T) {
	g := makeGroup(t)
	start(t, g, `mkdir -p "$1/a/b/c" "$1/a/d" "$1/e"; sh -c 'echo $$ >"$0/a/b/c/cgroup.procs"; echo up; exec sleep 300' "$1" & exec sleep 300`)
	procs, err := os.ReadFile(filepath.Join(g.Place().Path, "a/b/c/cgroup.procs"))
	require.NoError(t, err)
	require.NotEmpty(t, procs)
	require.ErrorIs(t, g.Remove(), ErrOccupied)
	requireState(t, Populated, g.Place())
	require.NoError(t, g.Kill())
	empty, err := g.Await(patience)
	require.NoError(t, err)
	require.True(t, empty)
	require.NoError(t, g.Remove())
	require.NoDirExists(t, g.Place().Path)
}

func TestAPlaceIsOneGroupForGood(t *testing.T) {
	g := makeGroup(t)
	p := g.Place()
	for name, wrong := range map[string]Place{
		"another parent": {Path: p.Path, Inode: p.Inode, ParentInode: p.ParentInode + 1},
		"no cgroup":      {Path: filepath.Join(t.TempDir(), "x"), Inode: p.Inode, ParentInode: p.ParentInode},
		"no parent":      {Path: p.Path + "/none/x", Inode: p.Inode, ParentInode: p.ParentInode},
		"nothing":        {},
	} {
		t.Run(name, func(t *testing.T) {
			requireState(t, Unknown, wrong)
			require.Error(t, Remove(wrong))
		})
	}
	other := Place{Path: p.Path, Inode: p.Inode + 1, ParentInode: p.ParentInode}
	requireState(t, Gone, other)
	require.NoError(t, Remove(other))
	require.DirExists(t, p.Path, "another group than the recorded one stays")
}

func TestTryLeavesNothing(t *testing.T) {
	g := makeGroup(t) // skips where it cannot
	require.NoError(t, Try())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(g.Place().Path), Prefix+"try-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func BenchmarkTry(b *testing.B) {
	if err := Try(); err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		_ = Try()
	}
}
