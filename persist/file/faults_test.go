//go:build linux || darwin || freebsd

package file

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// Every write, with every one of its system calls failing once, before it happened and after: the answer is one of the
// outcome table, what is on disk is what the answer says, and sending the attempt again makes it definite.
func TestEveryCallFails(t *testing.T) {
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1000), body(3, 1050)}
	tests := []struct {
		name    string
		prepare func(*Home)
		attempt persist.Attempt
		old     []byte
	}{
		{"create", func(*Home) {}, attempt(persist.Create, keyA, nil, v[0]), nil},
		{"replace in the spare", func(h *Home) {
			put(t, h, persist.Create, keyA, nil, v[0])
			put(t, h, persist.Replace, keyA, v[0], v[1])
		}, attempt(persist.Replace, keyA, v[1], v[2]), v[1]},
		{"replace in a new file", func(h *Home) {
			put(t, h, persist.Create, keyA, nil, v[0])
			h.store.drop(keyA)
		}, attempt(persist.Replace, keyA, v[0], v[2]), v[0]},
		{"remove", func(h *Home) { put(t, h, persist.Create, keyA, nil, v[0]) }, attempt(persist.Remove, keyA, v[0], nil), v[0]},
	}
	for _, tt := range tests {
		for _, errno := range []error{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EMFILE, syscall.EROFS} {
			for _, done := range []bool{false, true} {
				t.Run(tt.name+"/"+errno.Error()+"/"+map[bool]string{true: "done", false: "not done"}[done], func(t *testing.T) {
					for n := 0; failNth(t, n, errno, done, tt.prepare, tt.attempt, tt.old); n++ {
					}
				})
			}
		}
	}
}

// failNth lets the n-th call of the attempt fail, and reports whether there was one.
func failNth(t *testing.T, n int, errno error, done bool, prepare func(*Home), a persist.Attempt, old []byte) bool {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyB, nil, body(9, 900))
	prepare(h)
	tr.watch(nth(n, errno, done))
	err := a.Do(ctx, h.Store(), nil)
	calls := tr.seen()
	tr.watch(nil)
	if n >= len(calls) {
		require.NoError(t, err)
		return false
	}
	at := "call " + strconv.Itoa(n) + ", " + calls[n]
	now := content(t, h, keyA)
	switch {
	case err == nil, errors.Is(err, persist.ErrNotDurable):
		require.Equal(t, a.Next, now, at)
	case errors.Is(err, persist.ErrUnsettled):
		require.Contains(t, [][]byte{old, a.Next}, now, at)
	case errors.Is(err, persist.ErrExists), errors.Is(err, persist.ErrChanged):
		require.Fail(t, "nobody else wrote", "%s: %v", at, err)
	default:
		require.ErrorIs(t, err, errno, at)
		require.Equal(t, old, now, at)
	}
	if err != nil {
		require.NoError(t, a.Settle(ctx, h.Store(), nil), at)
	}
	require.Equal(t, a.Next, content(t, h, keyA), at)
	require.Equal(t, body(9, 900), content(t, h, keyB), at)
	if a.Op == persist.Remove {
		require.LessOrEqual(t, len(filesIn(t, h.leases.path)), 3, at) // a spare may stay for Sweep
	}
	require.NoError(t, h.Close())
	return true
}

func TestFailedSyncs(t *testing.T) {
	v := [][]byte{body(0, 900), body(1, 1100), body(2, 1000), body(3, 1050)}
	t.Run("of the content: the old bytes stay, and the file is given up", func(t *testing.T) {
		h, tr := newHome(t)
		put(t, h, persist.Create, keyA, nil, v[0])
		spare := inodeOf(t, h.leases.join(spareFile(keyA)))
		tr.watch(at("syncData", syscall.EIO, false))
		require.ErrorIs(t, attempt(persist.Replace, keyA, v[0], v[1]).Do(ctx, h.Store(), nil), syscall.EIO)
		tr.watch(nil)
		require.Equal(t, v[0], content(t, h, keyA))
		require.NoFileExists(t, h.leases.join(spareFile(keyA)))
		put(t, h, persist.Replace, keyA, v[0], v[1])
		require.NotEqual(t, spare.Inode, inodeOf(t, h.leases.join(recordFile(keyA))).Inode)
	})
	t.Run("of the directory: visible, and the spare is not overwritten until settled", func(t *testing.T) {
		h, tr := newHome(t)
		put(t, h, persist.Create, keyA, nil, v[0])
		tr.watch(at("sync", syscall.EIO, false))
		a := attempt(persist.Replace, keyA, v[0], v[1])
		require.ErrorIs(t, a.Do(ctx, h.Store(), nil), persist.ErrNotDurable)
		require.Equal(t, v[1], content(t, h, keyA))
		w, err := h.Store().Stage(ctx, keyA, v[2])
		require.NoError(t, err)
		inSpare, err := os.ReadFile(h.leases.join(spareFile(keyA)))
		require.NoError(t, err)
		require.Equal(t, v[0], inSpare, "a power loss may give these bytes the record's name")
		w.Discard()
		require.ErrorIs(t, a.Settle(ctx, h.Store(), nil), persist.ErrNotDurable)
		tr.watch(nil)
		require.NoError(t, a.Settle(ctx, h.Store(), nil))
		tr.watch(nil)
		put(t, h, persist.Replace, keyA, v[1], v[3])
		require.Equal(t, 1, tr.count("exchange"), "settled: the spare is one again")
	})
	t.Run("of the directory: a removal", func(t *testing.T) {
		h, tr := newHome(t)
		put(t, h, persist.Create, keyA, nil, v[0])
		tr.watch(at("sync", syscall.EIO, false))
		a := attempt(persist.Remove, keyA, v[0], nil)
		require.ErrorIs(t, a.Do(ctx, h.Store(), nil), persist.ErrNotDurable)
		require.ErrorIs(t, a.Settle(ctx, h.Store(), nil), persist.ErrNotDurable)
		tr.watch(nil)
		require.NoError(t, a.Settle(ctx, h.Store(), nil))
		require.Empty(t, filesIn(t, h.leases.path))
		put(t, h, persist.Create, keyB, nil, v[0])
		require.ErrorIs(t, h.Store().Sync(ctx, keyB), persist.ErrExists)
	})
	t.Run("seen by another goroutine meanwhile", func(t *testing.T) {
		h, tr := newHome(t)
		w, err := h.Store().Stage(ctx, keyA, v[0])
		require.NoError(t, err)
		require.NoError(t, w.Create(ctx))
		tr.watch(at("sync", syscall.EIO, false))
		require.ErrorIs(t, attempt(persist.Create, keyB, nil, v[1]).Do(ctx, h.Store(), nil), persist.ErrNotDurable)
		tr.watch(nil)
		require.ErrorIs(t, w.Settle(ctx), persist.ErrNotDurable, "the failure was told to the other one")
	})
}

// A publication of which nothing is known is unsettled, whichever way it went.
func TestUnknownPublication(t *testing.T) {
	for _, done := range []bool{false, true} {
		h, tr := newHome(t)
		put(t, h, persist.Create, keyA, nil, body(0, 900))
		blind := false
		tr.watch(func(call string) (error, bool) {
			if call == "exchange" {
				blind = true
				return syscall.EIO, done
			}
			if call == "lstat" && blind {
				return syscall.EIO, false
			}
			return nil, false
		})
		a := attempt(persist.Replace, keyA, body(0, 900), body(1, 900))
		err := a.Do(ctx, h.Store(), nil)
		require.ErrorIs(t, err, persist.ErrUnsettled)
		require.NotErrorIs(t, err, persist.ErrNotDurable)
		tr.watch(nil)
		require.NoError(t, a.Settle(ctx, h.Store(), nil))
		require.Equal(t, body(1, 900), content(t, h, keyA))
	}
}

// The life of a lease that was once recorded needs no space.
func TestFullDisk(t *testing.T) {
	h, tr := newHome(t)
	v := [][]byte{body(0, 900), body(1, 1400), body(2, 1398), body(3, 1401)}
	put(t, h, persist.Create, keyA, nil, v[0])
	full := map[string]bool{"create": true, "reserve": true, "link": true, "mkdir": true}
	tr.watch(func(call string) (error, bool) {
		if full[call] {
			return syscall.ENOSPC, false
		}
		return nil, false
	})
	require.ErrorIs(t, attempt(persist.Create, keyB, nil, v[0]).Do(ctx, h.Store(), nil), syscall.ENOSPC)
	for i := range 3 {
		put(t, h, persist.Replace, keyA, v[i], v[i+1])
	}
	put(t, h, persist.Remove, keyA, v[3], nil)
}

// A record that is removed between the comparison and the exchange is not brought back.
func TestRemovedBeforeTheExchange(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	tr.watch(func(call string) (error, bool) {
		if call == "exchange" {
			_ = os.Remove(h.leases.join(recordFile(keyA)))
		}
		return nil, false
	})
	a := attempt(persist.Replace, keyA, body(0, 900), body(1, 900))
	require.ErrorIs(t, a.Do(ctx, h.Store(), nil), persist.ErrChanged)
	require.Nil(t, content(t, h, keyA))
}

// The spare alone being gone changes nothing about the record: the attempt can be made again.
func TestSpareRemovedByOthers(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(0, 900))
	spare := h.leases.join(spareFile(keyA))
	tr.watch(func(call string) (error, bool) {
		if call == "exchange" {
			_ = os.Remove(spare)
		}
		return nil, false
	})
	a := attempt(persist.Replace, keyA, body(0, 900), body(1, 900))
	err := a.Do(ctx, h.Store(), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, persist.ErrChanged)
	tr.watch(nil)
	require.Equal(t, body(0, 900), content(t, h, keyA))
	require.NoError(t, a.Do(ctx, h.Store(), nil))
	require.Equal(t, body(1, 900), content(t, h, keyA))
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(spare, nil, 0o600) },
		func() error { _ = os.Remove(spare); return os.Symlink("/etc/passwd", spare) },
	} {
		require.NoError(t, spoil())
		before := content(t, h, keyA)
		put(t, h, persist.Replace, keyA, before, append(before, 'x'))
	}
}
