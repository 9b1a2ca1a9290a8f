package cgroup

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// unit is a directory of groups in a test's own group, such as a service manager makes, with a group of
// ours three levels below.
func unit(t *testing.T) (top string, p Place) {
	t.Helper()
	top = makeGroup(t).Place().Path
	own := filepath.Join(top, "unit", "slice", "service")
	require.NoError(t, os.MkdirAll(own, 0o755))
	g, err := Make(own, Prefix+"test-"+rand.Text())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	require.True(t, strings.HasPrefix(g.Place().Chain, "1/"), g.Place().Chain)
	require.Equal(t, len(strings.Split(g.Place().Path, "/")), len(strings.Split(top, "/"))+4)
	return top, g.Place()
}

// fell removes a directory of groups, as whoever manages the unit does.
func fell(t *testing.T, dir string) {
	t.Helper()
	up, err := openParent(filepath.Dir(dir))
	require.NoError(t, err)
	defer up.Close()
	g, err := open(up, dir)
	require.NoError(t, err)
	defer g.dir.Close()
	require.NoError(t, g.Remove())
}

func TestAUnitThatWasRemovedAndMadeAnew(t *testing.T) {
	for _, level := range []string{"unit", "unit/slice", "unit/slice/service"} {
		t.Run(level, func(t *testing.T) {
			top, p := unit(t)
			old := p
			old.Chain = ""
			requireState(t, Vacant, p)
			requireState(t, Vacant, old)
			fell(t, filepath.Join(top, level))
			requireState(t, Gone, p)
			require.NoError(t, Remove(p))
			require.NoError(t, KillPlace(p))
			requireState(t, Unknown, old) // a record without a chain proves nothing, as ever

			require.NoError(t, os.MkdirAll(filepath.Dir(p.Path), 0o755))
			requireState(t, Gone, p)
			requireState(t, Unknown, old)
			require.NoError(t, os.Mkdir(p.Path, 0o755))
			requireState(t, Gone, p)
			require.NoError(t, Remove(p))
			require.DirExists(t, p.Path, "another group than the recorded one stays")
			_, _, err := Members(p)
			require.ErrorIs(t, err, ErrGone)
		})
	}
}

// A group whose unit has somebody in it is populated, by either way.
func TestAUnitAtWork(t *testing.T) {
	_, p := unit(t)
	g, err := Open(p)
	require.NoError(t, err)
	defer g.Close()
	start(t, g, `echo up; exec sleep 300`)
	requireState(t, Populated, p)
	require.NoError(t, KillPlace(p))
	empty, err := g.Await(patience)
	require.NoError(t, err)
	require.True(t, empty)
}

func TestAChainThatDoesNotFitProvesNothing(t *testing.T) {
	top, p := unit(t)
	words := strings.Split(p.Chain, "/")
	n := len(words)
	with := func(change func(w []string) []string) string {
		return strings.Join(change(append([]string{}, words...)), "/")
	}
	chains := map[string]string{
		"another root":      with(func(w []string) []string { w[0] = "999999"; return w }),
		"another group":     with(func(w []string) []string { w[n-1] += "1"; return w }),
		"another parent":    with(func(w []string) []string { w[n-2] += "1"; return w }),
		"one left out":      with(func(w []string) []string { return append(w[:1], w[2:]...) }),
		"longer":            with(func(w []string) []string { return append([]string{"1"}, w...) }),
		"longer than paths": with(func(w []string) []string { return append(strings.Split(strings.Repeat("1/", 40)+"1", "/"), w...) }),
		"one word":          words[n-1],
		"no number":         "x/" + p.Chain,
		"a sign":            "+" + p.Chain,
		"too large":         "99999999999999999999/" + p.Chain,
		"an empty word":     p.Chain + "/",
	}
	fell(t, filepath.Join(top, "unit"))
	requireState(t, Gone, p)
	for name, chain := range chains {
		t.Run(name, func(t *testing.T) {
			wrong := p
			wrong.Chain = chain
			requireState(t, Unknown, wrong)
			require.Error(t, Remove(wrong))
			_, _, err := Members(wrong)
			require.Error(t, err)
			require.NotErrorIs(t, err, ErrGone)
			require.Error(t, KillPlace(wrong))
		})
	}
}

// unshared runs f in namespaces of its own, on a thread that ends with it.
func unshared(t *testing.T, flags int, f func() error) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: needs root")
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS | flags)
		if err == nil {
			err = unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	require.NoError(t, <-done)
}

// What is mounted over any directory on the way hides it, and proves nothing.
func TestWhatIsMountedOverAnAncestorProvesNothing(t *testing.T) {
	top, p := unit(t)
	elsewhere := makeGroup(t).Place().Path
	for _, over := range []string{filepath.Dir(p.Path), filepath.Join(top, "unit"), top, filepath.Dir(top), p.Path} {
		for _, how := range []string{"tmpfs", "bind"} {
			var state State
			var fact string
			unshared(t, 0, func() (err error) {
				if how == "bind" {
					err = unix.Mount(elsewhere, over, "", unix.MS_BIND, "")
				} else {
					err = unix.Mount("none", over, "tmpfs", 0, "")
				}
				state, fact = Look(p)
				return err
			})
			require.Equal(t, Unknown, state, "%s over %s: %s", how, over, fact)
		}
	}
	requireState(t, Vacant, p)
}

// In a cgroup namespace the root of what is mounted is the namespace's, and the chain begins there.
func TestTheChainBeginsAtTheRootOfTheMount(t *testing.T) {
	top := makeGroup(t)
	unit := filepath.Join(top.Place().Path, "unit")
	require.NoError(t, os.Mkdir(unit, 0o755))
	at := t.TempDir()
	unshared(t, 0, func() error {
		// What a cgroup namespace shows is a mount of a part of the hierarchy.
		if err := unix.Mount(top.Place().Path, at, "", unix.MS_BIND, ""); err != nil {
			return err
		}
		defer unix.Unmount(at, unix.MNT_DETACH)
		g, err := Make(filepath.Join(at, "unit"), Prefix+"test-"+rand.Text())
		if err != nil {
			return err
		}
		defer g.Close()
		p := g.Place()
		if words := strings.Split(p.Chain, "/"); len(words) != 3 || words[0] == "1" {
			return errors.New("the chain is " + p.Chain)
		}
		if s, fact := Look(p); s != Vacant {
			return errors.New(fact)
		}
		if err := errors.Join(g.Remove(), os.Remove(unit)); err != nil {
			return err
		}
		if s, fact := Look(p); s != Gone {
			return errors.New(fact)
		}
		return os.Mkdir(unit, 0o755)
	})
}
