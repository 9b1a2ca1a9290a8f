//go:build linux || darwin || freebsd

package file

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

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

func TestSweep(t *testing.T) {
	h, tr := newHome(t)
	live, err := h.Claim(keyA)
	require.NoError(t, err)
	put(t, h, persist.Create, keyA, nil, body(1, 900))
	put(t, h, persist.Create, keyB, nil, body(1, 900))
	require.NoError(t, h.WriteRecord("owners/"+keyA+".json", body(1, 9), Volatile))
	require.NoError(t, h.WriteRecord("owners/"+keyB+".json", body(1, 9), Volatile))
	tr.watch(nil)
	for _, listings := range [][]string{{"names", "names"}, {"names"}, {"names"}} {
		removed, err := sweepAll(h)
		require.NoError(t, err)
		require.Empty(t, removed, "both leases are there")
		require.Equal(t, append([]string{"lstat", "names"}, listings...), tr.seen(), "the keys, a listing of owners/, at first of leases/ too, and nothing else")
		tr.watch(nil)
	}

	require.NoError(t, os.Remove(h.leases.join(recordFile(keyA))))
	require.NoError(t, os.Remove(h.leases.join(recordFile(keyB))))
	for _, name := range []string{h.owners.join(keyA + ".json.next"), h.leases.join(nextFile(keyB)), h.owners.join("stranger"), h.owners.join(keyB + ".other")} {
		scribble(t, name, 0o600)
	}
	tr.watch(nil)
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"owners/" + keyB + ".json", "leases/" + nextFile(keyB), "leases/" + spareFile(keyB)}, removed, "A's lock is held")
	require.Zero(t, tr.count("sync", "syncData"))

	require.NoError(t, live.Close())
	tr.watch(at("owned", syscall.EIO, false))
	removed, err = sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, removed, "not known counts as held")
	tr.watch(nil)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = h.Sweep(ended, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, filesIn(t, h.leases.path))
	require.ElementsMatch(t, []string{"stranger", keyB + ".other"}, filesIn(t, h.owners.path))
}

// sweepAll sweeps as an acquire does.
func sweepAll(h *Home) ([]string, error) {
	keys, err := h.Store().Keys(ctx)
	if err != nil {
		return nil, err
	}
	return h.Sweep(ctx, keys)
}

// A spare that a power loss parted from its owner's files is found by the first sweep of a process; one that lies beside them
// goes first, so that a sweep that dies in the middle is taken up by the next one.
func TestSweepOfSpares(t *testing.T) {
	h, tr := newHome(t)
	scribble(t, h.leases.join(spareFile(keyA)), 0o600)
	_, err := sweepAll(h)
	require.NoError(t, err)
	require.Empty(t, filesIn(t, h.leases.path))

	scribble(t, h.leases.join(spareFile(keyB)), 0o600)
	scribble(t, h.owners.join(keyB+lockSuffix), 0o600)
	unlinked := 0
	tr.watch(func(call string) (error, bool) {
		if call == "unlink" {
			unlinked++
		}
		return map[bool]error{true: syscall.EIO}[unlinked == 2], false
	})
	_, err = sweepAll(h)
	require.ErrorIs(t, err, syscall.EIO)
	require.Empty(t, filesIn(t, h.leases.path))
	require.Len(t, filesIn(t, h.owners.path), 1)
	tr.watch(nil)
	removed, err := sweepAll(h)
	require.NoError(t, err)
	require.Equal(t, []string{"owners/" + keyB + lockSuffix}, removed)
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
