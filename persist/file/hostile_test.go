//go:build linux || darwin || freebsd

package file

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"containlease/persist"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// zoo is what may lie in place of a record.
var zoo = map[string]struct {
	make func(t *testing.T, path string)
	kind persist.Kind
}{
	"symlink to a record": {func(t *testing.T, path string) {
		require.NoError(t, os.Symlink(recordFile(keyB), path))
	}, persist.NotRegular},
	"symlink to nothing": {func(t *testing.T, path string) { require.NoError(t, os.Symlink("/nowhere", path)) }, persist.NotRegular},
	"FIFO":               {func(t *testing.T, path string) { require.NoError(t, unix.Mkfifo(path, 0o600)) }, persist.NotRegular},
	"socket":             {makeSocket, persist.NotRegular},
	"directory":          {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, persist.NotRegular},
	"hard link": {func(t *testing.T, path string) {
		scribble(t, path, 0o600)
		require.NoError(t, os.Link(path, filepath.Join(filepath.Dir(path), "..", quarantineDir, filepath.Base(path))))
	}, persist.NotPrivate},
	"mode 0666": {func(t *testing.T, path string) {
		scribble(t, path, 0o600)
		require.NoError(t, os.Chmod(path, 0o666))
	}, persist.NotPrivate},
	"sparse 1 TiB": {func(t *testing.T, path string) {
		scribble(t, path, 0o600)
		require.NoError(t, os.Truncate(path, 1<<40))
	}, persist.TooLarge},
	"32 KiB and a byte": {func(t *testing.T, path string) {
		scribble(t, path, 0o600)
		require.NoError(t, os.Truncate(path, largestRecord+1))
	}, persist.TooLarge},
	"another owner": {func(t *testing.T, path string) {
		if os.Geteuid() != 0 {
			t.Skip("SKIPPED: only root can give a file away")
		}
		scribble(t, path, 0o600)
		require.NoError(t, os.Chown(path, 12345, 12345))
	}, persist.NotPrivate},
}

func scribble(t *testing.T, path string, mode os.FileMode) {
	require.NoError(t, os.WriteFile(path, body(7, 900), mode))
}

// makeSocket binds under a short path and moves: the length of a socket's path is limited.
func makeSocket(t *testing.T, path string) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	short := filepath.Join(fastDir(t), "s")
	require.NoError(t, unix.Bind(fd, &unix.SockaddrUnix{Name: short}))
	require.NoError(t, os.Rename(short, path))
}

func TestZoo(t *testing.T) {
	for name, animal := range zoo {
		t.Run(name, func(t *testing.T) {
			h, _ := newHome(t)
			put(t, h, persist.Create, keyB, nil, body(1, 900))
			animal.make(t, h.leases.join(recordFile(keyA)))

			var bad *persist.RecordError
			_, err := h.Store().Read(ctx, keyA)
			require.ErrorAs(t, err, &bad)
			require.Equal(t, animal.kind, bad.Kind)
			require.Equal(t, keyA, bad.Key)

			entries := list(t, h)
			require.Len(t, entries, 2)
			require.ErrorAs(t, entries[0].Err, &bad)
			require.Equal(t, persist.Entry{Key: keyB, Content: body(1, 900), Digest: persist.DigestOf(body(1, 900))}, entries[1])

			require.ErrorIs(t, attempt(persist.Create, keyA, nil, body(2, 9)).Do(ctx, h.Store(), nil), persist.ErrExists)
			require.ErrorIs(t, attempt(persist.Replace, keyA, body(7, 900), body(2, 9)).Do(ctx, h.Store(), nil), persist.ErrChanged)
			require.ErrorIs(t, attempt(persist.Remove, keyA, body(7, 900), nil).Do(ctx, h.Store(), nil), persist.ErrChanged)
			require.Equal(t, body(1, 900), content(t, h, keyB))

			// The same in place of a lock and of a small record.
			animal.make(t, h.owners.join(keyA+lockSuffix))
			if animal.kind != persist.TooLarge { // a lock's size says nothing
				_, err = h.Probe(keyA)
				require.ErrorAs(t, err, &bad)
				_, err = h.Seize(keyA)
				require.ErrorAs(t, err, &bad)
			}
		})
	}
}

func list(t *testing.T, h *Home) (entries []persist.Entry) {
	for e, err := range h.Store().List(ctx) {
		require.NoError(t, err)
		entries = append(entries, e)
	}
	return entries
}

func TestForeignNames(t *testing.T) {
	h, _ := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	put(t, h, persist.Replace, keyA, body(1, 900), body(2, 900))
	raw := map[string]string{ // stored name, shown key
		"README":                              "README",
		"a\nb\x1b[31m.json":                   `"a\nb\x1b[31m.json"`,
		"\xff\xfe.json":                       `"\xff\xfe.json"`,
		`"quoted"`:                            `"\"quoted\""`,
		"ümlaut.json":                         "ümlaut.json",
		"." + keyA + ".other":                 "." + keyA + ".other",
		"AAAAAAAA" + keyA[8:]:                 "AAAAAAAA" + keyA[8:],
		keyA + ".json~":                       keyA + ".json~",
		keyA[:14] + "1" + keyA[15:] + ".json": keyA[:14] + "1" + keyA[15:] + ".json",
	}
	for name := range raw {
		scribble(t, h.leases.join(name), 0o600)
	}
	shown := map[string]bool{}
	for _, e := range list(t, h) {
		var bad *persist.RecordError
		if !errors.As(e.Err, &bad) {
			require.Equal(t, keyA, e.Key)
			continue
		}
		require.Equal(t, persist.ForeignName, bad.Kind)
		require.True(t, utf8.ValidString(bad.Error()))
		require.NotContains(t, bad.Error(), "\x1b")
		shown[e.Key] = true
	}
	for _, key := range raw {
		require.Contains(t, shown, key)
	}
	require.Len(t, shown, len(raw))
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, removed, "a foreign name is never removed")
}

func TestListLeavesOutWhatWasReleased(t *testing.T) {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	put(t, h, persist.Create, keyB, nil, body(2, 900))
	tr.watch(func(call string) (error, bool) {
		if call == "open" {
			_ = os.Remove(h.leases.join(recordFile(keyA)))
		}
		return nil, false
	})
	entries := list(t, h)
	require.Len(t, entries, 1)
	require.Equal(t, keyB, entries[0].Key)
}

func TestListingThatFails(t *testing.T) {
	h, tr := newHome(t)
	tr.watch(at("names", unix.EIO, false))
	n := 0
	for _, err := range h.Store().List(ctx) {
		require.ErrorIs(t, err, unix.EIO)
		n++
	}
	require.Equal(t, 1, n)
}
