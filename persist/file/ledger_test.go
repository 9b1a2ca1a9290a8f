//go:build linux || darwin || freebsd

package file

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/persist"
)

// ledger keeps account of descriptors. It gives each one a number that never recurs, so that one used after its end is seen.
type ledger struct {
	*trap
	open   map[int]int // by its number here: the system's
	last   int
	misuse []string
}

func (l *ledger) opened(fd int, err error) (int, error) {
	if err != nil {
		return fd, err
	}
	l.last++
	l.open[1000+l.last] = fd
	return 1000 + l.last, nil
}

func (l *ledger) fd(n int) int {
	if n == cwd {
		return n
	}
	fd, ok := l.open[n]
	if !ok {
		l.misuse = append(l.misuse, fmt.Sprintf("%d used after %v", n, l.seen()))
		return -1
	}
	return fd
}

func (l *ledger) OpenDir(d int, n string) (int, error) { return l.opened(l.trap.OpenDir(l.fd(d), n)) }
func (l *ledger) Open(d int, n string, a access) (int, error) {
	return l.opened(l.trap.Open(l.fd(d), n, a))
}
func (l *ledger) Create(d int, n string) (int, error)         { return l.opened(l.trap.Create(l.fd(d), n)) }
func (l *ledger) Names(d int) ([]string, error)               { return l.trap.Names(l.fd(d)) }
func (l *ledger) Mkdir(d int, n string) error                 { return l.trap.Mkdir(l.fd(d), n) }
func (l *ledger) Rmdir(d int, n string) error                 { return l.trap.Rmdir(l.fd(d), n) }
func (l *ledger) Filesystem(f int) (filesystem, error)        { return l.trap.Filesystem(l.fd(f)) }
func (l *ledger) Link(f, d int, n string) error               { return l.trap.Link(l.fd(f), l.fd(d), n) }
func (l *ledger) Unlink(d int, n string) error                { return l.trap.Unlink(l.fd(d), n) }
func (l *ledger) Stat(f int) (info, error)                    { return l.trap.Stat(l.fd(f)) }
func (l *ledger) Lstat(d int, n string) (info, error)         { return l.trap.Lstat(l.fd(d), n) }
func (l *ledger) Pread(f int, b []byte, o int64) (int, error) { return l.trap.Pread(l.fd(f), b, o) }
func (l *ledger) Pwrite(f int, b []byte, o int64) (int, error) {
	return l.trap.Pwrite(l.fd(f), b, o)
}
func (l *ledger) Truncate(f int, s int64) error { return l.trap.Truncate(l.fd(f), s) }
func (l *ledger) Reserve(f int, s int64) error  { return l.trap.Reserve(l.fd(f), s) }
func (l *ledger) SetMtime(d int, n string, at int64) error {
	return l.trap.SetMtime(l.fd(d), n, at)
}
func (l *ledger) SyncData(f int) error      { return l.trap.SyncData(l.fd(f)) }
func (l *ledger) Sync(f int) error          { return l.trap.Sync(l.fd(f)) }
func (l *ledger) Own(f int) error           { return l.trap.Own(l.fd(f)) }
func (l *ledger) Owned(f int) (bool, error) { return l.trap.Owned(l.fd(f)) }
func (l *ledger) Rename(d int, a, b string, how renaming) error {
	return l.trap.Rename(l.fd(d), a, b, how)
}

func (l *ledger) Close(n int) error {
	fd := l.fd(n)
	delete(l.open, n)
	return l.trap.system.Close(fd)
}

func newLedger(t *testing.T) (*Home, *ledger) {
	l := &ledger{trap: &trap{system: mustSystem(t)}, open: map[int]int{}}
	return create(t, filepath.Join(fastDir(t), "home"), func(o *options) { o.sys = l }), l
}

// balance closes the home, and then nothing is open.
func (l *ledger) balance(t *testing.T, h *Home, of ...any) {
	t.Helper()
	require.NoError(t, h.Close(), of...)
	require.Empty(t, l.open, of...)
	require.Empty(t, l.misuse, of...)
}

// Two attempts at one key at a time are the caller's mistake, and cost no descriptor all the same.
func TestNoFileIsLostBetweenTwoAttempts(t *testing.T) {
	h, l := newLedger(t)
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	late, err := h.Store().Stage(ctx, keyA, body(1, 900))
	require.NoError(t, err)
	put(t, h, persist.Replace, keyA, body(0, 900), body(2, 900))
	late.Discard()
	l.balance(t, h)
}

// Whatever call of a lease's life fails, before it happens or after, every descriptor is closed, once, and not used any more.
func TestEveryDescriptorIsClosedOnce(t *testing.T) {
	for name, unable := range map[string]string{"exchange": "", "no exchange": "exchange"} {
		for n := 0; ; n++ {
			h, l := newLedger(t)
			for i, done := range []bool{false, true} {
				one := nth(n, syscall.EIO, done)
				l.watch(func(call string) (error, bool) {
					if call == unable {
						return errUnsupported, false
					}
					return one(call)
				})
				tryLife(h, []string{keyA, keyB}[i])
			}
			calls := len(l.seen())
			l.balance(t, h, "%s, fault at %d", name, n)
			if n > calls {
				break
			}
		}
	}
}

// tryLife makes the writes of a lease, one after the other, whatever becomes of them: twice, as after a resync.
func tryLife(h *Home, key string) {
	do := func(op persist.Op, old, next []byte) {
		for range 2 {
			_ = attempt(op, key, old, next).Do(ctx, h.Store(), nil)
		}
	}
	do(persist.Create, nil, body(0, 900))
	for i := range 3 {
		do(persist.Replace, body(i, 900), body(i+1, 900))
	}
	do(persist.Remove, body(3, 900), nil)
}
