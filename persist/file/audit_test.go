//go:build linux || darwin || freebsd

package file

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func TestAppend(t *testing.T) {
	h, tr := newHome(t)
	read := func() string {
		content, err := os.ReadFile(h.root.join(auditName))
		require.NoError(t, err)
		return string(content)
	}
	require.NoError(t, h.Append(ctx, auditName, []byte(`{"n":1}`)))
	tr.watch(nil)
	require.NoError(t, h.Append(ctx, auditName, []byte(`{"n":2}`+"\n")))
	require.Equal(t, 1, tr.count("append"))
	require.Equal(t, 2, tr.count("sync"))
	require.Equal(t, "{\"n\":1}\n{\"n\":2}\n", read())

	require.ErrorIs(t, h.Append(ctx, "machine.json", []byte("{}")), ErrName)
	require.ErrorIs(t, h.Append(ctx, auditName, []byte("a\nb")), ErrName)

	torn, err := os.OpenFile(h.root.join(auditName), os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = torn.WriteString(`{"n":`)
	require.NoError(t, err)
	require.NoError(t, torn.Close())
	require.NoError(t, h.Append(ctx, auditName, []byte(`{"n":4}`)))
	require.Equal(t, "{\"n\":1}\n{\"n\":2}\n{\"n\":\n{\"n\":4}\n", read())

	tr.watch(at("sync", syscall.EIO, false))
	require.ErrorIs(t, h.Append(ctx, auditName, []byte(`{}`)), syscall.EIO)
	tr.watch(nil)
	require.NoError(t, os.Chmod(h.root.join(auditName), 0o644))
	var bad *persist.RecordError
	require.ErrorAs(t, h.Append(ctx, auditName, []byte(`{}`)), &bad)
}

// TestAppendTakesTurns: three processes find a torn line; one of them ends it, and no two share a line.
func TestAppendTakesTurns(t *testing.T) {
	first, _ := newHome(t)
	homes := []*Home{first, create(t, first.Dir()), create(t, first.Dir())}
	for range 20 {
		require.NoError(t, os.WriteFile(first.root.join(auditName), []byte(`{"torn":`), 0o600))
		var all sync.WaitGroup
		errs := make([]error, len(homes))
		for n, h := range homes {
			all.Go(func() { errs[n] = h.Append(ctx, auditName, []byte(`{}`)) })
		}
		all.Wait()
		require.NoError(t, errors.Join(errs...))
		content, err := os.ReadFile(first.root.join(auditName))
		require.NoError(t, err)
		require.Equal(t, "{\"torn\":\n{}\n{}\n{}\n", string(content))
	}
}

// A writer of the audit log that was stopped in the middle of its line keeps nobody longer than he wants to wait.
func TestAppendBesideAStoppedWriter(t *testing.T) {
	h, _ := newHome(t)
	require.NoError(t, h.Append(ctx, auditName, []byte(`{"n":1}`)))
	sys := mustSystem(t)
	fd, _, err := h.root.openPrivate(auditName, appending)
	require.NoError(t, err)
	require.NoError(t, sys.Flock(fd, lockExclusive))
	tired := errors.New("tired")
	short, cancel := context.WithTimeoutCause(ctx, 20*time.Millisecond, tired)
	defer cancel()
	require.ErrorIs(t, h.Append(short, auditName, []byte(`{"n":2}`)), tired)
	require.NoError(t, sys.Close(fd))
	require.NoError(t, h.Append(ctx, auditName, []byte(`{"n":3}`)))
	content, err := os.ReadFile(h.root.join(auditName))
	require.NoError(t, err)
	require.Equal(t, "{\"n\":1}\n{\"n\":3}\n", string(content))
}
