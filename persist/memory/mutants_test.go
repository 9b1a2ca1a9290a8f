//go:build linux || darwin || freebsd

package memory_test

import (
	"errors"
	"slices"
	"testing"

	"containlease/persist/internal/disk"
	"containlease/persist/memory"

	"github.com/stretchr/testify/require"
)

// dropped leaves out the n-th sync, and counts them.
func dropped(n int, syncs *int) func(memory.Call) error {
	return func(c memory.Call) error {
		if c.Op != "Sync" && c.Op != "SyncData" {
			return nil
		}
		*syncs++
		if *syncs == n {
			return memory.ErrDropped
		}
		return nil
	}
}

// Without any one of its syncs, every write breaks a promise: there is no sync too many, and the exploration would see one too few.
func TestEverySyncIsNeeded(t *testing.T) {
	for _, s := range scenes {
		if s.fault != nil {
			continue // it is told in another scene, and a failed sync is repeated
		}
		var syncs int
		if s.play(prepared(t, s, dropped(0, &syncs))) != nil {
			t.Fatal(s.name)
		}
		for n := 1; n <= syncs; n++ {
			var count int
			x := explore(s, max(1, deep[s.name]), nil, dropped(n, &count))
			if spared[s.name] != nil && slices.Contains(spared[s.name], n) {
				require.NoError(t, x.Err, "%s: sync %d is not as needless as it is said to be", s.name, n)
				continue
			}
			require.Error(t, x.Err, "%s: sync %d of %d can be left out and nobody sees it", s.name, n, syncs)
			t.Logf("%-28s without sync %d of %d: %v", s.name, n, syncs, x.Err)
		}
	}
}

// deep are the scenes in which a missing sync is seen only when the power fails after a kill: who comes next believes the
// lock file and syncs nothing of the home again.
var deep = map[string]int{"home": 2}

// spared are the syncs that no crash of one process misses. Of a new home: four of its new and empty directories (other systems
// may lose a directory whose own content was never synced), and one of the lock file's name (where it is lost, the next
// Create makes it again). Of the audit log's second line: the name of the log, which another process may have made a moment ago. Of a
// quarantine: the new name, which this disk, like a journal, does not lose before the old one. Of a record that is relied upon:
// the second of its content and of its name, since its maker lived here; see TestRelyingOnAnOldRecord.
var spared = map[string][]int{"home": {4, 5, 6, 7, 8}, "audit": {4}, "quarantine": {1}, "record, relied upon": {3, 4}}

func prepared(t *testing.T, s scene, fault func(memory.Call) error) *world {
	t.Helper()
	w := newWorld(memory.NewDisk())
	require.NoError(t, s.prepare(w))
	w.p.Watch(fault)
	return w
}

// torn exchanges in two steps.
type torn struct{ *memory.Process }

func (m torn) Rename(dir int, from, to string, how disk.Renaming) error {
	if how != disk.Exchange {
		return m.Process.Rename(dir, from, to, how)
	}
	return errors.Join(m.Process.Rename(dir, to, to+".aside", disk.Over), m.Process.Rename(dir, from, to, disk.Over),
		m.Process.Rename(dir, to+".aside", from, disk.Over))
}

// hasty publishes first and makes the content durable afterwards.
type hasty struct {
	*memory.Process
	owed *int
}

func (m hasty) SyncData(fd int) error { *m.owed = fd; return nil }

func (m hasty) then(err error) error {
	if *m.owed != 0 {
		_ = m.Process.SyncData(*m.owed)
		*m.owed = 0
	}
	return err
}

func (m hasty) Rename(dir int, from, to string, how disk.Renaming) error {
	return m.then(m.Process.Rename(dir, from, to, how))
}

func (m hasty) Link(fd, dir int, name string) error {
	err := m.Process.Link(fd, dir, name)
	if fd != *m.owed {
		return err
	}
	return m.then(err)
}

// nameless gives a file its first name when it is published, after it was synced: by one link, or by a link and a rename.
// again has it synced once more then.
type nameless struct {
	*memory.Process
	linked map[string]int // files that have no name yet, by the temporary one that they were to get
	again  bool
}

func (m nameless) Link(fd, _ int, name string) error { m.linked[name] = fd; return nil }

func (m nameless) Rename(dir int, from, to string, how disk.Renaming) error {
	fd, ok := m.linked[from]
	if !ok {
		return m.Process.Rename(dir, from, to, how)
	}
	delete(m.linked, from)
	name := map[bool]string{true: to, false: from}[how == disk.Exclusive]
	err := m.Process.Link(fd, dir, name)
	if m.again && err == nil {
		err = m.Process.SyncData(fd)
	}
	if how == disk.Over && err == nil {
		err = m.Process.Rename(dir, from, to, how)
	}
	return err
}

// careless calls a directory settled whose sync failed.
type careless struct{ *memory.Process }

func (m careless) Sync(fd int) error { _ = m.Process.Sync(fd); return nil }

// A disk that does things in another order, or in more steps, is seen too.
func TestMutants(t *testing.T) {
	named := func(name string) scene {
		return scenes[slices.IndexFunc(scenes, func(s scene) bool { return s.name == name })]
	}
	unnamed := func(again bool) func(*memory.Process) disk.System {
		return func(p *memory.Process) disk.System { return nameless{p, map[string]int{}, again} }
	}
	tests := []struct {
		name  string
		via   func(*memory.Process) disk.System
		scene string
	}{
		{"an exchange in two steps", func(p *memory.Process) disk.System { return torn{p} }, "replace, first"},
		{"published before it is durable: replace", func(p *memory.Process) disk.System { return hasty{p, new(int)} }, "replace, first"},
		{"published before it is durable: create", func(p *memory.Process) disk.System { return hasty{p, new(int)} }, "acquire"},
		{"synced without a name: create", unnamed(false), "acquire"},
		{"synced without a name: record", unnamed(false), "record"},
		{"synced without a name: a record's first", unnamed(false), "record, relied upon"},
		{"synced without a name, and again after the link", unnamed(true), "acquire"},
		{"a failed sync is taken for a good one: replace", func(p *memory.Process) disk.System { return careless{p} }, "replace, its directory sync fails, settled"},
		{"a failed sync is taken for a good one: remove", func(p *memory.Process) disk.System { return careless{p} }, "remove, its directory sync fails, settled"},
	}
	for _, tt := range tests {
		x := explore(named(tt.scene), 1, tt.via, nil)
		require.Error(t, x.Err, tt.name)
		t.Logf("%s: %v", tt.name, x.Err)
	}
}
