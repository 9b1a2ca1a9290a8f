//go:build linux || darwin || freebsd

package file

import (
	"errors"
	"os"
	"strconv"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// impostors take a directory's place, and return where what is written to it would be.
var impostors = map[string]func(t *testing.T, path string) string{
	"another directory": func(t *testing.T, path string) string {
		require.NoError(t, os.Rename(path, path+".aside"))
		require.NoError(t, os.Mkdir(path, 0o700))
		return path
	},
	"a symbolic link": func(t *testing.T, path string) string {
		elsewhere := t.TempDir()
		require.NoError(t, os.Rename(path, path+".aside"))
		require.NoError(t, os.Symlink(elsewhere, path))
		return elsewhere
	},
	"a link to the directory itself": func(t *testing.T, path string) string {
		require.NoError(t, os.Rename(path, path+".aside"))
		require.NoError(t, os.Symlink(path+".aside", path))
		return ""
	},
}

// replaceable are the writes into the two directories that hold no lease, and where they go.
var replaceable = map[string]struct {
	part  string
	write func(h *Home) error
}{
	"enable":  {pluginsDir, func(h *Home) error { return h.WriteRecord("plugins/acme.json", body(2, 90), Durable) }},
	"create":  {pluginsDir, func(h *Home) error { return h.CreateRecord("plugins/new.json", body(2, 90), Durable) }},
	"disable": {pluginsDir, func(h *Home) error { return h.RemoveRecord("plugins/acme.json") }},
	"quarantine": {quarantineDir, func(h *Home) error {
		_, settle, err := h.Quarantine("odd")
		if err == nil {
			err = settle()
		}
		return err
	}},
}

// plugins/ or quarantine/ is replaced before the n-th call of a write, for every n: that is reported, or the write was through
// with the directory that was there; nothing is ever written to the other one or follows a link, and the leases are listed.
func TestPartReplacedMidway(t *testing.T) {
	for what, w := range replaceable {
		for as, replace := range impostors {
			t.Run(what+"/"+as, func(t *testing.T) {
				n := 0
				for ; replacedAt(t, n, w.part, w.write, replace); n++ {
				}
				require.Greater(t, n, 2, "that is no write")
			})
		}
	}
}

// replacedAt reports whether the write had an n-th call.
func replacedAt(t *testing.T, n int, part string, write func(*Home) error, replace func(*testing.T, string) string) bool {
	h, tr := newHome(t)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	require.NoError(t, h.WriteRecord("plugins/acme.json", body(1, 90), Durable))
	scribble(t, h.leases.join("odd"), 0o600)
	calls, beside, fired := 0, "", false
	tr.watch(func(string) (error, bool) {
		if calls == n {
			beside, fired = replace(t, h.root.join(part)), true
		}
		calls++
		return nil, false
	})
	err := write(h)
	tr.watch(nil)
	if n == 0 || err != nil {
		require.ErrorIs(t, err, ErrHomeReplaced, "replaced before call %d", n)
		require.FileExists(t, h.leases.join("odd"), "it said that nothing was done")
	}
	if !fired {
		require.NoError(t, err)
		return false
	}
	if beside != "" {
		require.Empty(t, filesIn(t, beside), "written beside")
	}
	healthy := 0
	for _, e := range list(t, h) {
		if e.Err == nil {
			healthy++
		}
	}
	require.Equal(t, 1, healthy)
	_, err = Open(h.Dir())
	var unsafe *UnsafeError
	require.Equal(t, isLink(t, h.root.join(part)), errors.As(err, &unsafe), "opening it: %v", err)
	return true
}

func isLink(t *testing.T, path string) bool {
	i, err := os.Lstat(path)
	require.NoError(t, err)
	return i.Mode()&os.ModeSymlink != 0
}

// A directory that is replaced or removed midway is never written beside.
func TestDirectoryReplacedMidway(t *testing.T) {
	v := [][]byte{body(0, 900), body(1, 900), body(2, 900)}
	for _, swap := range []string{"replaced", "removed", "home replaced"} {
		for _, stage := range []int{0, 1} { // before stage, before publish
			t.Run(swap+" before step "+strconv.Itoa(stage), func(t *testing.T) {
				h, _ := newHome(t)
				put(t, h, persist.Create, keyA, nil, v[0])
				path := h.leases.path
				if swap == "home replaced" {
					path = h.root.path
				}
				act := func() {
					require.NoError(t, os.Rename(path, path+".aside"))
					if swap != "removed" {
						require.NoError(t, os.MkdirAll(h.leases.path, 0o700))
					}
				}
				if stage == 0 {
					act()
				}
				w, err := h.Store().Stage(ctx, keyA, v[1]) // in the spare, which is held
				require.NoError(t, err)
				if stage == 1 {
					act()
				}
				_, err = h.Store().Stage(ctx, keyB, v[1])
				require.ErrorIs(t, err, ErrHomeReplaced)
				require.ErrorIs(t, w.Replace(ctx, persist.DigestOf(v[0])), ErrHomeReplaced)
				require.Equal(t, v[0], content(t, h, keyA), "it was written aside")
				w.Discard()
				if swap != "removed" {
					require.Empty(t, filesIn(t, h.leases.path))
				}
			})
		}
	}
}
