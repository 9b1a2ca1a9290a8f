//go:build linux || darwin || freebsd

package file

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// treeHash is over every name, mode, size, time and content below dir.
func treeHash(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		i, err := d.Info()
		require.NoError(t, err)
		fmt.Fprintln(sum, path, i.Mode(), i.Size(), i.ModTime().UnixNano())
		if i.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			sum.Write(content)
		}
		return nil
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func TestOpenCreatesNothing(t *testing.T) {
	dir := fastDir(t)
	for _, missing := range []string{"home", "a/b/home"} {
		before := treeHash(t, dir)
		_, err := Open(filepath.Join(dir, missing))
		require.ErrorIs(t, err, ErrNoHome)
		require.Equal(t, before, treeHash(t, dir))
	}
	h := create(t, filepath.Join(dir, "home"))
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	defer live.Close()

	before := treeHash(t, dir)
	r, err := Open(h.Dir())
	require.NoError(t, err)
	require.Len(t, list(t, r), 1)
	_, err = r.Probe(keyA)
	require.NoError(t, err)
	_, err = r.Probe(keyB)
	require.NoError(t, err)
	_, err = r.ReadRecord("machine.json")
	require.ErrorIs(t, err, persist.ErrNotExist)
	_, err = r.RecordNames("plugins")
	require.NoError(t, err)
	lock, err := r.Lock(ctx, Shared, nil)
	require.NoError(t, err)
	require.NoError(t, lock.Unlock())
	require.Equal(t, h.Inode(), r.Inode())
	require.NoError(t, r.Close())
	require.Equal(t, before, treeHash(t, dir))

	require.NoError(t, os.Remove(h.root.join(lockName)))
	before = treeHash(t, dir)
	r, err = Open(h.Dir())
	require.NoError(t, err)
	_, err = r.Lock(ctx, Shared, nil)
	require.ErrorIs(t, err, ErrNoLockFile)
	require.NoError(t, r.Close())
	require.Equal(t, before, treeHash(t, dir))
}

func TestCreateUnderAnyUmask(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		dir := filepath.Join(fastDir(t), "deep", "er")
		func() {
			defer unix.Umask(unix.Umask(mask))
			h := create(t, filepath.Join(dir, "home"))
			put(t, h, persist.Create, keyA, nil, body(1, 900))
			put(t, h, persist.Replace, keyA, body(1, 900), body(2, 900))
			h.store.drop(keyA)
			put(t, h, persist.Replace, keyA, body(2, 900), body(3, 900))
			live, err := h.Claim(keyA)
			require.NoError(t, err)
			require.NoError(t, h.WriteRecord("machine.json", body(1, 9), Durable))
			require.NoError(t, h.Append(ctx, "audit.jsonl", []byte("{}")))
			require.NoError(t, live.Close())
		}()
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			want := fs.FileMode(0o600)
			if d.IsDir() {
				want = fs.ModeDir | 0o700
			}
			require.Equal(t, want, inodeOf(t, path).Mode, path)
			return nil
		}))
	}
}

// What was created is durable before the lock file says so; a home without it is built again.
func TestCreateIsDurable(t *testing.T) {
	dir := fastDir(t)
	tr := &trap{system: mustSystem(t)}
	with := func(o *options) { o.sys = tr }
	tr.watch(at("sync", syscall.EIO, false))
	_, err := Create(filepath.Join(dir, "home"), with, AllowAnyFilesystem())
	require.ErrorIs(t, err, syscall.EIO)
	require.NoFileExists(t, filepath.Join(dir, "home", lockName))
	tr.watch(nil)
	h := create(t, filepath.Join(dir, "home"), with)
	require.GreaterOrEqual(t, tr.count("sync"), 3)
	tr.watch(nil)
	require.NoError(t, create(t, h.Dir(), with).Close())
	require.Zero(t, tr.count("sync", "mkdir", "create"), "a whole home is only opened")
}

func TestCreateAfterACrashAtEveryCall(t *testing.T) {
	for n := 0; ; n++ {
		dir := filepath.Join(fastDir(t), "deep", "home")
		tr := &trap{system: mustSystem(t)}
		tr.watch(func() fault {
			left := n
			return func(string) (error, bool) { left--; return map[bool]error{true: syscall.EIO}[left < 0], false }
		}())
		h, err := Create(dir, func(o *options) { o.sys = tr }, AllowAnyFilesystem())
		if err == nil {
			require.NoError(t, h.Close())
			break
		}
		if r, err := Open(dir); err == nil {
			require.NoError(t, r.Close())
		} else {
			require.ErrorIs(t, err, ErrNoHome, "after %d calls", n)
		}
		put(t, create(t, dir), persist.Create, keyA, nil, body(1, 900))
	}
}

func TestCreateInManyProcessesAtOnce(t *testing.T) {
	home := filepath.Join(fastDir(t), "deep", "home")
	var children []*exec.Cmd
	for range 8 {
		children = append(children, startChild(t, "create", home))
	}
	for _, c := range children {
		require.NoError(t, c.Wait())
	}
	h, err := Open(home)
	require.NoError(t, err)
	require.Len(t, list(t, h), len(children))
	require.NoError(t, h.Close())
}

func TestFilesystemMustBeKnown(t *testing.T) {
	dir := fastDir(t)
	tr := &strange{mustSystem(t)}
	_, err := Create(filepath.Join(dir, "home"), func(o *options) { o.sys = tr })
	require.ErrorIs(t, err, ErrFilesystem)
	require.ErrorContains(t, err, "nfs")
	h, err := Create(filepath.Join(dir, "home"), func(o *options) { o.sys = tr }, AllowAnyFilesystem())
	require.NoError(t, err)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	require.NoError(t, h.Close())
}

type strange struct{ system }

func (strange) Filesystem(int) (filesystem, error) { return filesystem{Name: "nfs"}, nil }

func TestHereIsAKnownFilesystem(t *testing.T) {
	h, err := Create(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		require.ErrorIs(t, err, ErrFilesystem)
		t.Skip("SKIPPED: the temporary directory is not on a known file system: ", err)
	}
	require.True(t, h.ground.Known)
	require.NotEmpty(t, h.ground.Name)
	require.NoError(t, h.Close())
}
