//go:build linux || darwin || freebsd

package file

import (
	"os"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// unnamed is a file system without nameless files.
type unnamed struct{ *trap }

func (u unnamed) Create(d int, name string) (int, error) {
	if name == "" {
		return -1, errUnsupported
	}
	return u.trap.Create(d, name)
}

// A sweep that has the staged file already, because it came before its maker owned it, is waited for: then another one is made.
func TestStageBesideASweepThatWasFaster(t *testing.T) {
	tr := &trap{system: mustSystem(t)}
	h := create(t, t.TempDir()+"/home", func(o *options) { o.sys = unnamed{tr} })
	sweeper := mustSystem(t)
	name := h.leases.join(nextFile(keyA))
	fd, owns := -1, 0
	tr.watch(func(call string) (error, bool) {
		if call == "own" {
			switch owns++; owns {
			case 1:
				var err error
				fd, err = sweeper.Open(h.leases.fd, nextFile(keyA), writing)
				require.NoError(t, err)
				require.NoError(t, sweeper.Own(fd))
			case 2: // the maker comes again
				require.NoError(t, os.Remove(name))
				require.NoError(t, sweeper.Close(fd))
			}
		}
		return nil, false
	})
	w, err := h.Store().Stage(ctx, keyA, body(1, 900))
	require.NoError(t, err)
	require.Equal(t, 4, owns, "refused, of what was removed, of the new file, of its spare")
	tr.watch(nil)
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, removed, "both are at work")
	require.NoError(t, w.Create(ctx))
	require.NoError(t, w.Settle(ctx))
	require.Equal(t, body(1, 900), content(t, h, keyA))
	require.NoError(t, attempt(persist.Remove, keyA, body(1, 900), nil).Do(ctx, h.Store(), nil))
}
