package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMembersAreThoseOfAllGroupsBelow(t *testing.T) {
	g := makeGroup(t)
	pids, hidden, err := Members(g.Place())
	require.NoError(t, err)
	require.Empty(t, pids)
	require.Zero(t, hidden)

	one := start(t, g, `mkdir -p "$1/a/b" "$1/c"; echo up; exec sleep 300`)
	two := start(t, g, `echo $$ >"$1/a/b/cgroup.procs"; echo up; exec sleep 300`)
	pids, hidden, err = Members(g.Place())
	require.NoError(t, err)
	require.ElementsMatch(t, []int64{int64(one.Process.Pid), int64(two.Process.Pid)}, pids)
	require.Zero(t, hidden)

	other := g.Place()
	other.Inode++
	_, _, err = Members(other)
	require.ErrorIs(t, err, ErrGone)
	require.NoError(t, KillPlace(other), "to nobody")
	requireState(t, Populated, g.Place())
	require.NoError(t, KillPlace(g.Place()))
	require.Error(t, one.Wait())
	require.Error(t, two.Wait())
}

// A threaded group has no list of its own: those above it are asked, and it alone is no answer.
func TestMembersOfThreadedGroups(t *testing.T) {
	g := makeGroup(t)
	threaded := filepath.Join(g.Place().Path, "threaded")
	require.NoError(t, os.Mkdir(threaded, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(threaded, "cgroup.type"), []byte("threaded"), 0))
	cmd := start(t, g, `echo $$ >"$1/threaded/cgroup.threads"; echo up; exec sleep 300`)
	pids, _, err := Members(g.Place())
	require.NoError(t, err)
	require.Equal(t, []int64{int64(cmd.Process.Pid)}, pids)
	sub, err := open(g.dir, threaded)
	require.NoError(t, err)
	defer sub.dir.Close()
	_, _, err = Members(Place{Path: threaded, Inode: sub.place.Inode, ParentInode: g.place.Inode})
	require.Error(t, err, "nobody can be named, so nobody is not the answer")
}

const membersVar = "CGROUP_TEST_MEMBERS"

// Those of other PID namespaces have no number here, and are counted.
func TestMembersOfOtherPIDNamespacesAreCounted(t *testing.T) {
	if at := os.Getenv(membersVar); at != "" {
		var p Place
		_, err := fmt.Sscan(at, &p.Path, &p.Inode, &p.ParentInode)
		require.NoError(t, err)
		pids, hidden, err := Members(p)
		fmt.Println("MEMBERS", len(pids), hidden, err)
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: needs root")
	}
	g := makeGroup(t)
	start(t, g, `echo up; exec sleep 300`)
	start(t, g, `echo up; exec sleep 300`)
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("unshare", "--pid", "--fork", "--kill-child", exe, "-test.run", t.Name())
	p := g.Place()
	cmd.Env = append(os.Environ(), membersVar+"="+strings.Join([]string{p.Path, fmt.Sprint(p.Inode), fmt.Sprint(p.ParentInode)}, " "))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "MEMBERS 0 2 <nil>")
}
