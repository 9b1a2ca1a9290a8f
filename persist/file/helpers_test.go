//go:build linux || darwin || freebsd

package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

var errUnsupported = errors.ErrUnsupported

var ctx = context.Background()

const (
	keyA = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	keyB = "bbbbbbbb-bbbb-4bbb-9bbb-bbbbbbbbbbbb"
)

// body is a content of n bytes that no other version or length shares.
func body(version, n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%07d\n", version), n/8+1)[:n]
}

// fastDir is a temporary directory, in memory where there is one: most tests make many homes.
func fastDir(t testing.TB) string {
	t.Helper()
	if i, err := os.Stat("/dev/shm"); err != nil || !i.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "containlease-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func create(t testing.TB, path string, opts ...Option) *Home {
	t.Helper()
	h, err := Create(path, append(opts, AllowAnyFilesystem())...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// newHome is a home in memory, with a trap between it and the system.
func newHome(t testing.TB) (*Home, *trap) {
	t.Helper()
	sys, err := newSystem()
	require.NoError(t, err)
	tr := &trap{system: sys}
	return create(t, filepath.Join(fastDir(t), "home"), func(o *options) { o.sys = tr }), tr
}

func attempt(op persist.Op, key string, old, next []byte) persist.Attempt {
	return persist.Attempt{Key: key, Op: op, Old: persist.DigestOf(old), Next: next}
}

// put makes a write that has to succeed.
func put(t testing.TB, h *Home, op persist.Op, key string, old, next []byte) {
	t.Helper()
	require.NoError(t, attempt(op, key, old, next).Do(ctx, h.Store(), nil))
}

// content is what is stored now; nil where there is no record.
func content(t testing.TB, h *Home, key string) []byte {
	t.Helper()
	e, err := h.Store().Read(ctx, key)
	if err != nil {
		require.ErrorIs(t, err, persist.ErrNotExist)
		return nil
	}
	require.Equal(t, persist.DigestOf(e.Content), e.Digest)
	return e.Content
}

func inodeOf(t testing.TB, path string) info {
	t.Helper()
	i, err := mustSystem(t).Lstat(cwd, path)
	require.NoError(t, err)
	return i
}

func mustSystem(t testing.TB) system {
	t.Helper()
	sys, err := newSystem()
	require.NoError(t, err)
	return sys
}

func filesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// fault says what happens at one call: err instead of the call, or after it where done is set. A panic or an exit is
// its own business.
type fault func(call string) (err error, done bool)

// trap counts the calls that pass and lets some of them fail.
type trap struct {
	system
	mu    sync.Mutex
	calls []string
	fault fault
}

// watch forgets the calls so far and sets the fault for those to come.
func (t *trap) watch(f fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls, t.fault = nil, f
}

func (t *trap) seen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.calls...)
}

func (t *trap) count(calls ...string) (n int) {
	for _, seen := range t.seen() {
		for _, call := range calls {
			if seen == call {
				n++
			}
		}
	}
	return n
}

// nth is a fault at the n-th call from now (0 is the first).
func nth(n int, err error, done bool) fault {
	return func(string) (error, bool) {
		n--
		if n == -1 {
			return err, done
		}
		return nil, false
	}
}

// at is a fault at every call of one name.
func at(name string, err error, done bool) fault {
	return func(call string) (error, bool) {
		if call == name {
			return err, done
		}
		return nil, false
	}
}

func (t *trap) pass(call string, do func() error) error {
	t.mu.Lock()
	t.calls = append(t.calls, call)
	var err error
	var done bool
	if t.fault != nil {
		err, done = t.fault(call)
	}
	t.mu.Unlock()
	if err == nil {
		return do()
	}
	if done {
		if derr := do(); derr != nil {
			return derr
		}
	}
	return err
}

func passN[T any](t *trap, call string, do func() (T, error)) (v T, err error) {
	err = t.pass(call, func() (e error) { v, e = do(); return e })
	return v, err
}

// passFD is passN for a call that makes a descriptor: a failure after the call closes it.
func (t *trap) passFD(call string, do func() (int, error)) (int, error) {
	fd := -1
	err := t.pass(call, func() (e error) { fd, e = do(); return e })
	if err != nil && fd >= 0 {
		_ = t.system.Close(fd)
		return -1, err
	}
	return fd, err
}

func (t *trap) OpenDir(d int, n string) (int, error) {
	return t.passFD("openDir", func() (int, error) { return t.system.OpenDir(d, n) })
}
func (t *trap) Open(d int, n string, a access) (int, error) {
	return t.passFD("open", func() (int, error) { return t.system.Open(d, n, a) })
}
func (t *trap) Create(d int, n string) (int, error) {
	return t.passFD("create", func() (int, error) { return t.system.Create(d, n) })
}
func (t *trap) Mkdir(d int, n string) error {
	return t.pass("mkdir", func() error { return t.system.Mkdir(d, n) })
}
func (t *trap) Link(f, d int, n string) error {
	return t.pass("link", func() error { return t.system.Link(f, d, n) })
}
func (t *trap) Rename(d int, a, b string, how renaming) error {
	call := [...]string{over: "rename", exclusive: "rename-exclusive", exchange: "exchange"}[how]
	return t.pass(call, func() error { return t.system.Rename(d, a, b, how) })
}
func (t *trap) Unlink(d int, n string) error {
	return t.pass("unlink", func() error { return t.system.Unlink(d, n) })
}
func (t *trap) Rmdir(d int, n string) error {
	return t.pass("rmdir", func() error { return t.system.Rmdir(d, n) })
}
func (t *trap) Names(d int) ([]string, error) {
	return passN(t, "names", func() ([]string, error) { return t.system.Names(d) })
}
func (t *trap) Stat(f int) (info, error) {
	return passN(t, "stat", func() (info, error) { return t.system.Stat(f) })
}
func (t *trap) Lstat(d int, n string) (info, error) {
	return passN(t, "lstat", func() (info, error) { return t.system.Lstat(d, n) })
}
func (t *trap) Pread(f int, b []byte, o int64) (int, error) {
	return passN(t, "pread", func() (int, error) { return t.system.Pread(f, b, o) })
}
func (t *trap) Pwrite(f int, b []byte, o int64) (int, error) {
	return passN(t, "pwrite", func() (int, error) { return t.system.Pwrite(f, b, o) })
}
func (t *trap) Append(f int, b []byte) (int, error) {
	return passN(t, "append", func() (int, error) { return t.system.Append(f, b) })
}
func (t *trap) Truncate(f int, s int64) error {
	return t.pass("truncate", func() error { return t.system.Truncate(f, s) })
}
func (t *trap) Reserve(f int, s int64) error {
	return t.pass("reserve", func() error { return t.system.Reserve(f, s) })
}
func (t *trap) SetMtime(d int, n string, at int64) error {
	return t.pass("setMtime", func() error { return t.system.SetMtime(d, n, at) })
}
func (t *trap) SyncData(f int) error {
	return t.pass("syncData", func() error { return t.system.SyncData(f) })
}
func (t *trap) Sync(f int) error { return t.pass("sync", func() error { return t.system.Sync(f) }) }
func (t *trap) Flock(f int, how locking) error {
	return t.pass("flock", func() error { return t.system.Flock(f, how) })
}
func (t *trap) Own(f int) error { return t.pass("own", func() error { return t.system.Own(f) }) }
func (t *trap) Owned(f int) (bool, error) {
	return passN(t, "owned", func() (bool, error) { return t.system.Owned(f) })
}
