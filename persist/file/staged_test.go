//go:build linux || darwin || freebsd

package file

import (
	"os"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

// A sweep that has the staged file already, because it came before its maker owned it, is waited for: then another one is made.
func TestStageBesideASweepThatWasFaster(t *testing.T) {
	tr := &trap{system: mustSystem(t)}
	h := create(t, t.TempDir()+"/home", func(o *options) { o.sys = namedOnly{tr} })
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

// Where names are given by link and unlink, a death between the two leaves a record with two names, which no reader believes.
// The first sweep takes the second one away.
func TestRecordWithTwoNames(t *testing.T) {
	h := create(t, t.TempDir()+"/home")
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	put(t, h, persist.Create, keyB, nil, body(2, 900))
	require.NoError(t, os.Link(h.leases.join(recordFile(keyA)), h.leases.join(nextFile(keyA))))
	require.NoError(t, os.WriteFile(h.leases.join(nextFile(keyB)), nil, 0o600))
	_, err := h.Store().Read(ctx, keyA)
	var bad *persist.RecordError
	require.ErrorAs(t, err, &bad)

	removed, err := create(t, h.Dir()).Sweep(ctx, []string{keyA, keyB})
	require.NoError(t, err)
	require.Equal(t, []string{"leases/" + nextFile(keyA)}, removed, "another file of a living lease is its owner's")
	require.Equal(t, body(1, 900), content(t, h, keyA))
}
