package cgroup

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const aLease = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"

func TestNamesThatAreOurs(t *testing.T) {
	for name, want := range map[string]struct {
		id   string
		ours bool
	}{
		Prefix + aLease:                                 {aLease, true},
		Prefix + "try-" + rand.Text():                   {"", true},
		Prefix + strings.ToUpper(aLease):                {},
		Prefix + aLease + "x":                           {},
		Prefix + aLease[1:]:                             {},
		Prefix + strings.Replace(aLease, "-4", "-1", 1): {},
		Prefix + strings.Replace(aLease, "-8", "-c", 1): {},
		Prefix + strings.ReplaceAll(aLease, "-", "f"):   {},
		aLease:                                  {},
		"x" + Prefix + aLease:                   {},
		"try-" + rand.Text():                    {},
		Prefix + "try-":                         {},
		Prefix + "try-" + rand.Text()[1:]:       {},
		Prefix + "try-" + rand.Text()[1:] + "a": {},
		Prefix + "test-" + rand.Text():          {},
		Prefix:                                  {},
		"":                                      {},
	} {
		id, ours := made(name)
		require.Equal(t, want.id, id, name)
		require.Equal(t, want.ours, ours, name)
		require.Equal(t, want.id, Place{Path: "/a/" + name}.Lease(), name)
	}
}

// somebody is a user whom no other doctor on this machine works for: one of root's would clear away what a
// test looks for. Without root it is ourselves.
var somebody = map[bool]int{true: 60000 + os.Getpid()%5000, false: os.Geteuid()}[os.Geteuid() == 0]

// bySomebody has f done by that user, on a thread that ends with it.
func bySomebody(f func()) {
	if somebody == os.Geteuid() {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		id := uintptr(somebody)
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id); errno == 0 {
			f()
		}
	}()
	<-done
}

// litterIn is what a search finds below dir: others are at work elsewhere.
func litterIn(t *testing.T, s Scope, dir string) (found []Place) {
	t.Helper()
	var all []Place
	err := errors.ErrUnsupported
	bySomebody(func() { all, err = Litter(t.Context(), s) })
	require.NoError(t, err)
	for _, p := range all {
		if strings.HasPrefix(p.Path, dir+"/") {
			found = append(found, p)
		}
	}
	return found
}

func newLitter(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, Prefix+name)
	require.NoError(t, os.MkdirAll(path, 0o755))
	require.NoError(t, errors.Join(os.Chown(path, somebody, -1), os.Chown(dir, somebody, -1)))
	return path
}

func clearPlace(p Place) (removed bool, err error) {
	err = errors.ErrUnsupported
	bySomebody(func() { removed, err = Clear(p) })
	return removed, err
}

func TestLitterIsFoundAndCleared(t *testing.T) {
	g := makeGroup(t)
	top := g.Place().Path
	trial := newLitter(t, top, "try-"+rand.Text())
	nested := newLitter(t, filepath.Join(top, "a", "b"), aLease)
	require.NoError(t, os.Mkdir(filepath.Join(nested, "plugins"), 0o755))
	require.NoError(t, os.Chown(filepath.Join(nested, "plugins"), somebody, -1))
	newLitter(t, top, "anybody's")
	paths := func(found []Place) (out []string) {
		for _, p := range found {
			out = append(out, p.Path)
		}
		return out
	}
	found := litterIn(t, Everywhere, top)
	require.ElementsMatch(t, []string{trial, nested}, paths(found))
	require.Empty(t, litterIn(t, InOwn, top), "one readdir of the own group, and no more")
	for _, p := range found {
		requireState(t, Vacant, p)
		straight := p
		straight.Chain = ""
		requireState(t, Vacant, straight)
		up, err := p.walk()
		require.NoError(t, err, "the chain %s leads there", p.Chain)
		up.Close()
		removed, err := clearPlace(p)
		require.NoError(t, err)
		require.True(t, removed)
		requireState(t, Gone, p)
		removed, err = clearPlace(p)
		require.NoError(t, err)
		require.False(t, removed, "it is gone")
	}
	require.Empty(t, litterIn(t, Everywhere, top))
	require.DirExists(t, filepath.Join(top, Prefix+"anybody's"))
}

func TestOwnLitterIsFound(t *testing.T) {
	makeGroup(t) // skips where it cannot
	own, err := Own()
	require.NoError(t, err)
	path := filepath.Join(own, Prefix+"try-"+rand.Text())
	require.NoError(t, os.Mkdir(path, 0o755))
	t.Cleanup(func() { _ = os.Remove(path) })
	found, err := Litter(t.Context(), InOwn)
	require.NoError(t, err)
	for _, p := range found {
		if p.Path == path {
			_, err := Clear(p) // or another doctor was faster
			require.NoError(t, err)
		}
	}
	require.NoDirExists(t, path)
}

// Who uses a group, by holding it or by being in it, does not lose it: not even between the look of a
// sweep and its act.
func TestWhatSomebodyUsesIsNoLitter(t *testing.T) {
	g := makeGroup(t)
	top := g.Place().Path
	path := newLitter(t, top, aLease)
	p := litterIn(t, Everywhere, top)[0]
	kept := func() {
		t.Helper()
		require.Empty(t, litterIn(t, Everywhere, top))
		removed, err := clearPlace(p)
		require.NoError(t, err)
		require.False(t, removed)
		require.DirExists(t, path)
	}
	// Another process holds it, and is killed.
	cmd := exec.Command("flock", "--no-fork", "--shared", path, "sh", "-c", "echo up; exec sleep 300")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	_, err = out.Read(make([]byte, 3))
	require.NoError(t, err)
	kept()
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Len(t, litterIn(t, Everywhere, top), 1)

	// We hold it, by either way.
	again, err := Open(p)
	require.NoError(t, err)
	require.NoError(t, again.Hold())
	kept()
	require.NoError(t, again.Close())
	require.Len(t, litterIn(t, Everywhere, top), 1)

	// Somebody is in it, and in a group below.
	require.NoError(t, os.Mkdir(filepath.Join(path, "a"), 0o755))
	inside := start(t, g, `echo $$ >"$1/containlease-`+aLease+`/a/cgroup.procs"; echo up; exec sleep 300`)
	kept()
	require.NoError(t, inside.Process.Kill())
	require.Error(t, inside.Wait())

	// It is another user's.
	if os.Geteuid() == 0 {
		require.NoError(t, os.Chown(path, 65534, 65534))
		kept()
		require.NoError(t, os.Chown(path, somebody, 0))
	}
	// The name is another group's now.
	require.NoError(t, os.Remove(filepath.Join(path, "a")))
	require.NoError(t, os.Remove(path))
	newLitter(t, top, aLease)
	removed, err := clearPlace(p)
	require.NoError(t, err)
	require.False(t, removed)
	require.DirExists(t, path)
}

// A program that makes groups never loses one to sweeps, which run all the time.
func TestNoGroupIsLostToASweep(t *testing.T) {
	g := makeGroup(t)
	top := g.Place().Path
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int)
	for range 2 {
		go func() {
			cleared := 0
			for ctx.Err() == nil {
				names, _ := subgroups(g.dir)
				for _, name := range names {
					sub, err := open(g.dir, filepath.Join(top, name))
					if err != nil {
						continue
					}
					p := sub.place
					p.ParentInode = g.place.Inode
					sub.dir.Close()
					if removed, _ := Clear(p); removed {
						cleared++
					}
				}
			}
			done <- cleared
		}()
	}
	for range 500 {
		made, err := Make(top, Prefix+"try-"+rand.Text())
		require.NoError(t, err)
		requireState(t, Vacant, made.Place())
		require.NoError(t, made.Remove())
		require.NoError(t, made.Close())
	}
	stop()
	t.Log("cleared before they were held:", <-done+<-done)
}

func TestALitterSearchEndsWithItsContext(t *testing.T) {
	g := makeGroup(t)
	newLitter(t, g.Place().Path, aLease)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	found, err := Litter(ctx, Everywhere)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, found)
}

func BenchmarkLitter(b *testing.B) {
	for name, s := range map[string]Scope{"own": InOwn, "everywhere": Everywhere} {
		b.Run(name, func(b *testing.B) {
			if _, err := Litter(b.Context(), s); err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				_, _ = Litter(b.Context(), s)
			}
		})
	}
}

// Which home a group's lease is in stands on the group, for an ordinary user too.
func TestAGroupKnowsItsHome(t *testing.T) {
	g := makeGroup(t)
	require.Empty(t, HomeOf(g.Place()))
	require.NoError(t, g.SetHome("/a/home"))
	require.Equal(t, "/a/home", HomeOf(g.Place()))
	other := g.Place()
	other.Inode++
	require.Empty(t, HomeOf(other))
}
