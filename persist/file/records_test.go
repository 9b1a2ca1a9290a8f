//go:build linux || darwin || freebsd

package file

import (
	"strings"
	"syscall"
	"testing"

	"containlease/persist"

	"github.com/stretchr/testify/require"
)

func TestRecordNames(t *testing.T) {
	h, _ := newHome(t)
	for name, ok := range map[string]bool{
		"machine.json":                                  true,
		"owners/" + keyA + ".json":                      true,
		"owners/" + keyA + ".empty":                     true,
		"plugins/some-plugin2.json":                     true,
		"owners/" + keyA + ".lock":                      false,
		"owners/" + keyA:                                false,
		"leases/" + keyA + ".json":                      false,
		"plugins/../lock":                               false,
		"plugins/" + keyA[:8] + "/x.json":               false,
		"plugins/Some.json":                             false,
		"plugins/" + strings.Repeat("a", 129) + ".json": false,
		"audit.jsonl":                                   false,
		"lock":                                          false,
		"":                                              false,
		"/etc/passwd":                                   false,
		"owners/../machine.json":                        false,
	} {
		err := h.WriteRecord(name, body(1, 40), Volatile)
		if !ok {
			require.ErrorIs(t, err, ErrName, name)
			_, err = h.ReadRecord(name)
			require.ErrorIs(t, err, ErrName, name)
			require.ErrorIs(t, h.RemoveRecord(name), ErrName, name)
			continue
		}
		require.NoError(t, err, name)
		got, err := h.ReadRecord(name)
		require.NoError(t, err)
		require.Equal(t, body(1, 40), got)
	}
	names, err := h.RecordNames("owners")
	require.NoError(t, err)
	require.Equal(t, []string{"owners/" + keyA + ".empty", "owners/" + keyA + ".json"}, names)
	names, err = h.RecordNames("plugins")
	require.NoError(t, err)
	require.Equal(t, []string{"plugins/some-plugin2.json"}, names)
	_, err = h.RecordNames("leases")
	require.ErrorIs(t, err, ErrName)
}

func TestRecordLife(t *testing.T) {
	const name = "machine.json"
	h, tr := newHome(t)
	require.ErrorIs(t, h.RemoveRecord(name), persist.ErrNotExist)
	tr.watch(nil)
	require.NoError(t, h.CreateRecord(name, body(1, 40), Durable))
	require.Equal(t, [2]int{1, 1}, [2]int{tr.count("syncData"), tr.count("sync")})
	require.ErrorIs(t, h.CreateRecord(name, body(2, 40), Durable), persist.ErrExists)
	tr.watch(nil)
	require.NoError(t, h.WriteRecord(name, body(3, 40), Volatile))
	require.Zero(t, tr.count("syncData", "sync"))
	got, err := h.ReadRecord(name)
	require.NoError(t, err)
	require.Equal(t, body(3, 40), got)
	tr.watch(at("sync", syscall.EIO, false))
	require.ErrorIs(t, h.WriteRecord(name, body(4, 40), Durable), persist.ErrNotDurable)
	require.ErrorIs(t, h.RemoveRecord(name), persist.ErrNotDurable)
	tr.watch(nil)
	require.ElementsMatch(t, append([]string{lockName}, parts...), filesIn(t, h.Dir()))
}

// A small record is whole, old or new, whichever call fails.
func TestRecordEveryCallFails(t *testing.T) {
	const name = "owners/" + keyA + ".json"
	for _, done := range []bool{false, true} {
		for n := 0; ; n++ {
			h, tr := newHome(t)
			require.NoError(t, h.WriteRecord(name, body(1, 40), Durable))
			tr.watch(nth(n, syscall.EIO, done))
			err := h.WriteRecord(name, body(2, 400), Durable)
			calls := len(tr.seen())
			tr.watch(nil)
			got, rerr := h.ReadRecord(name)
			require.NoError(t, rerr)
			if err == nil {
				require.Equal(t, body(2, 400), got)
			} else {
				require.Contains(t, []string{string(body(1, 40)), string(body(2, 400))}, string(got))
			}
			require.NoError(t, h.WriteRecord(name, body(3, 40), Durable))
			require.Equal(t, []string{keyA + ".json"}, filesIn(t, h.owners.path), "a stray file survived the next write")
			if n >= calls {
				break
			}
		}
	}
}

// A record that was made by somebody else is synced by its first reader, and by no other one.
func TestEnsureRecord(t *testing.T) {
	h, tr := newHome(t)
	require.ErrorIs(t, h.EnsureRecord("machine.json"), persist.ErrNotExist)
	require.ErrorIs(t, h.EnsureRecord("other.json"), ErrName)
	require.NoError(t, h.CreateRecord("machine.json", body(1, 90), Volatile))
	tr.watch(at("sync", syscall.EIO, false))
	require.ErrorIs(t, h.EnsureRecord("machine.json"), persist.ErrNotDurable)
	for _, want := range []int{1, 0, 0} {
		tr.watch(nil)
		require.NoError(t, h.EnsureRecord("machine.json"))
		require.Equal(t, want, tr.count("sync"))
	}
	require.NoError(t, h.WriteRecord("machine.json", body(2, 90), Volatile))
	tr.watch(nil)
	require.NoError(t, h.EnsureRecord("machine.json"))
	require.Equal(t, 1, tr.count("sync"), "it is another file")
}

// Somebody puts another record in its place just before the first one is marked as proved: the other one is not proved by that.
func TestEnsureRecordBesideAReplacement(t *testing.T) {
	h, tr := newHome(t)
	other := create(t, h.Dir())
	require.NoError(t, h.CreateRecord("machine.json", body(1, 90), Volatile))
	tr.watch(func(call string) (error, bool) {
		if call == "setMtime" {
			require.NoError(t, other.WriteRecord("machine.json", body(2, 90), Volatile))
		}
		return nil, false
	})
	require.NoError(t, h.EnsureRecord("machine.json"))
	require.Equal(t, 1, tr.count("setMtime"))
	for _, want := range []int{1, 0} {
		tr.watch(nil)
		require.NoError(t, h.EnsureRecord("machine.json"))
		require.Equal(t, want, tr.count("sync"), "of the record that took its place")
	}
}

// A sync that another goroutine saw fail while a name was being made proves nothing of it.
func TestFailedSyncWhileANameIsMade(t *testing.T) {
	h, tr := newHome(t)
	failed := func(step string) fault {
		return func(call string) (error, bool) {
			if call == step {
				h.root.doubts.Add(1) // what the other goroutine does
			}
			return nil, false
		}
	}
	tr.watch(failed("create"))
	require.Error(t, h.Append(ctx, auditName, []byte(`{}`)))
	require.NoError(t, h.CreateRecord("machine.json", body(1, 90), Volatile))
	tr.watch(failed("open"))
	require.ErrorIs(t, h.EnsureRecord("machine.json"), persist.ErrNotDurable)
}
