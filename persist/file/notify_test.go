//go:build linux || darwin || freebsd

package file

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// heard waits until key is told of, or everything is.
func heard(t *testing.T, n *Notifier, key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		touched, err := n.Wait(ctx, time.Minute)
		require.NoError(t, err)
		if touched.All || slices.Contains(touched.Keys, key) {
			return
		}
	}
}

func TestNotifierHearsOfEveryStep(t *testing.T) {
	h, _ := newHome(t)
	reader, err := Open(h.Dir())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	n, err := reader.Notify()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	before := filesIn(t, h.Dir())
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	heard(t, n, keyA)
	put(t, h, persist.Replace, keyA, body(1, 900), body(2, 900))
	heard(t, n, keyA)
	l, err := h.Claim(keyB)
	require.NoError(t, err)
	heard(t, n, keyB)
	require.NoError(t, h.WriteRecord("owners/"+keyB+".empty", body(1, 80), Volatile))
	heard(t, n, keyB)
	require.NoError(t, l.Retire())
	heard(t, n, keyB)
	require.NoError(t, os.WriteFile(filepath.Join(h.Dir(), "leases", "bad\nname"), nil, 0o600))
	heard(t, n, `"bad\nname"`)
	put(t, h, persist.Remove, keyA, body(2, 900), nil)
	heard(t, n, keyA)
	require.Equal(t, before, filesIn(t, h.Dir()), "it writes nothing")
}

func TestNotifierEndsWithItsContext(t *testing.T) {
	h, _ := newHome(t)
	n, err := h.Notify()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	for err == nil {
		_, err = n.Wait(ctx, time.Hour)
	}
	require.ErrorIs(t, err, context.Canceled)
	_, err = n.Wait(ctx, time.Hour)
	require.ErrorIs(t, err, context.Canceled)
}
