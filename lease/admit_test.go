//go:build unix

package lease_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist"
	"containlease/persist/file"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// operationOf is a valid identity of any plugin.
func operationOf(plugin string) leasefile.OperationIdentity {
	op := operation()
	op.PluginID, op.SurfaceID, op.AdapterID = plugin, plugin, plugin
	return op
}

// counting is a file store that counts what is read of it.
type counting struct {
	*file.Store
	mu    sync.Mutex
	reads int
}

func (c *counting) Read(ctx context.Context, key string) (persist.Entry, error) {
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	return c.Store.Read(ctx, key)
}

func (c *counting) List(ctx context.Context) iter.Seq2[persist.Entry, error] {
	return func(yield func(persist.Entry, error) bool) {
		for e, err := range c.Store.List(ctx) {
			c.mu.Lock()
			c.reads++
			c.mu.Unlock()
			if !yield(e, err) {
				return
			}
		}
	}
}

func (c *counting) taken() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.reads
	c.reads = 0
	return n
}

// plain hides that a store can name its records.
type plain struct{ persist.Store }

func openAround(t *testing.T, dir string, around func(*file.Store) persist.Store) *lease.Registry {
	t.Helper()
	home, err := file.Create(dir)
	require.NoError(t, err)
	reg, err := lease.New(around(home.Store()), home)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reg.Close()) })
	return reg
}

func acquire(t *testing.T, reg *lease.Registry, plugin string) *lease.Handle {
	t.Helper()
	h, err := reg.Acquire(t.Context(), operationOf(plugin), "")
	require.NoError(t, err)
	return h
}

func release(t *testing.T, h *lease.Handle) {
	t.Helper()
	require.NoError(t, h.Event(t.Context(), fsm.CleanupComplete))
	require.NoError(t, h.Release(t.Context()))
}

func TestAcquireReadsAStrangerOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	others := openAround(t, dir, func(s *file.Store) persist.Store { return s })
	var running []*lease.Handle
	for i := range 250 { // enough for several readers at a time
		running = append(running, acquire(t, others, fmt.Sprintf("other-%d", i)))
	}
	store := &counting{}
	reg := openAround(t, dir, func(s *file.Store) persist.Store { store.Store = s; return store })
	h := acquire(t, reg, "mine")
	require.Equal(t, 250, store.taken(), "all are new to it")
	release(t, h)
	h = acquire(t, reg, "mine")
	require.Zero(t, store.taken(), "all are known")

	late := acquire(t, others, "other-late")
	h2 := acquire(t, reg, "mine")
	require.GreaterOrEqual(t, store.taken(), 2, "the new one and its own plugin's")
	for range reg.List(t.Context()) {
	}
	require.GreaterOrEqual(t, store.taken(), 253, "a listing reads everything")
	for _, h := range append(running, late, h, h2) {
		release(t, h)
	}
	require.Empty(t, leftovers(t, dir))
}

// leftovers are the files of leases/ and owners/.
func leftovers(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, folder := range []string{"leases", "owners"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		require.NoError(t, err)
		for _, e := range entries {
			names = append(names, folder+"/"+e.Name())
		}
	}
	return names
}

func TestAcquireBeside(t *testing.T) {
	stores := map[string]func(*file.Store) persist.Store{
		"a store that names its records": func(s *file.Store) persist.Store { return s },
		"any other store":                func(s *file.Store) persist.Store { return plain{s} },
	}
	for name, around := range stores {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "home")
			reg := openAround(t, dir, around)
			unsafe := acquire(t, reg, "broken")
			require.NoError(t, unsafe.Event(t.Context(), fsm.CleanupUnsafe))
			h := acquire(t, reg, "mine")
			for range 2 {
				_, err := reg.Acquire(t.Context(), operationOf("broken"), "")
				require.ErrorIs(t, err, lease.ErrBlocked)
			}
			release(t, h)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "leases", "no lease's name"), nil, 0o600))
			release(t, acquire(t, reg, "mine"))
			torn := filepath.Join(dir, "leases", uuid.NewString()+".json")
			require.NoError(t, os.WriteFile(torn, []byte(`{"acquiredAt"`), 0o600))
			for range 2 {
				_, err := reg.Acquire(t.Context(), operationOf("mine"), "")
				require.ErrorIs(t, err, lease.ErrBlocked, "what is malformed blocks every plugin, however often it is met")
			}
			require.NoError(t, os.Remove(torn))
			release(t, acquire(t, reg, "mine"))
		})
	}
}

// A home of many leases is swept by one acquire in so many: which one is the first of a process is left to chance.
func TestSweepIsShared(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	stray := func() string {
		path := filepath.Join(dir, "owners", uuid.NewString()+".lock")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		return path
	}
	many := make([]string, 1001)
	for i := range many {
		many[i] = uuid.NewString()
	}
	reg := openAround(t, dir, func(s *file.Store) persist.Store { return crowd{plain{s}, many} })
	gone := func(path string) (after int) {
		for after = 1; ; after++ {
			release(t, acquire(t, reg, "mine"))
			if _, err := os.Stat(path); err != nil {
				return after
			}
			require.Less(t, after, 3)
		}
	}
	require.LessOrEqual(t, gone(stray()), 3)
	require.Equal(t, 3, gone(stray()), "1,001 leases are worth two acquires without a sweep")
}

// crowd names more leases than there are: they were released since.
type crowd struct {
	plain
	keys []string
}

func (c crowd) Keys(context.Context) ([]string, error) { return c.keys, nil }
