//go:build unix

package lease_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease"
	"containlease/persist/file"

	"github.com/stretchr/testify/require"
)

// moved is a home that was copied to another place.
func moved(t *testing.T, d *desk) *desk {
	t.Helper()
	copied := &desk{dir: filepath.Join(t.TempDir(), "copy"), alive: d.alive}
	require.NoError(t, os.CopyFS(copied.dir, os.DirFS(d.dir)))
	for _, name := range append([]string{"."}, d.in(t, ".")...) {
		require.NoError(t, os.Chmod(filepath.Join(copied.dir, name), 0o700))
		if name == "machine.json" || name == "lock" {
			require.NoError(t, os.Chmod(filepath.Join(copied.dir, name), 0o600))
		}
	}
	for _, folder := range []string{"leases", "owners"} {
		for _, name := range d.in(t, folder) {
			require.NoError(t, os.Chmod(filepath.Join(copied.dir, folder, name), 0o600))
		}
	}
	return copied
}

func (d *desk) adopt(t *testing.T, reason string) error {
	return lease.Adopt(t.Context(), d.dir, reason, lease.WithHome(file.AllowAnyFilesystem()))
}

func TestAdopt(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostStarting, unbounded)
	require.ErrorIs(t, d.adopt(t, word), lease.ErrNotForThis)
	c := moved(t, d)
	_, err := lease.Open(t.Context(), c.dir, lease.WithInspector(c), lease.WithHome(file.AllowAnyFilesystem()))
	require.ErrorIs(t, err, lease.ErrOtherHome)
	reader := c.open(t, lease.ReadOnly())
	seen, err := reader.Inspect(t.Context(), i.ID)
	require.NoError(t, err)
	require.Equal(t, "other-machine", seen.Verdict.Rule)

	require.NoError(t, c.adopt(t, word))
	lines := c.audit(t)
	require.Len(t, lines, 1)
	require.Equal(t, leasefile.AuditActionAdopt, lines[0].Action)
	require.Equal(t, "other-machine", lines[0].Rule)
	require.Nil(t, lines[0].LeaseID)
	require.NotEqual(t, machineOf(t, d), machineOf(t, c), "a copy does not go by its original's name")
	c.Registry = c.open(t)
	seen, err = c.Inspect(t.Context(), i.ID)
	require.NoError(t, err)
	require.Equal(t, "gate-never-opened", seen.Verdict.Rule)
	require.Empty(t, d.audit(t))
	require.ErrorIs(t, c.adopt(t, word), lease.ErrNotForThis)
	require.Len(t, c.audit(t), 1)
	another := moved(t, d)
	require.NoError(t, another.adopt(t, word))
	require.NotEqual(t, machineOf(t, c), machineOf(t, another), "nor by that of another copy")
}

func machineOf(t *testing.T, d *desk) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, "machine.json"))
	require.NoError(t, err)
	m, err := leasefile.DecodeHomeV1File(b)
	require.NoError(t, err)
	return m.MachineID
}

func TestAdoptRefuses(t *testing.T) {
	d := newDesk(t)
	i := d.leave(t, fsm.StateHostActive, nobody)
	c := moved(t, d)
	letGo := c.hold(t, i.ID)
	require.ErrorIs(t, c.adopt(t, word), lease.ErrInUse)
	letGo()
	require.ErrorIs(t, c.adopt(t, "two\nlines"), lease.ErrInvalid)
	require.Empty(t, c.audit(t))
	require.ErrorIs(t, lease.Adopt(t.Context(), filepath.Join(c.dir, "nowhere"), word), file.ErrNoHome)
	// Without a record, or with one that cannot be read as such, nobody can say whose it is: that is what the word is for.
	for _, content := range []string{"", "{}\n"} {
		require.NoError(t, os.Remove(filepath.Join(c.dir, "machine.json")))
		if content != "" {
			c.write(t, "machine.json", content)
		}
		require.NoError(t, c.adopt(t, word))
		c.open(t)
	}
	// One that cannot be read at all may well say that the home is ours.
	lines := len(c.audit(t))
	require.NoError(t, os.Remove(filepath.Join(c.dir, "machine.json")))
	require.NoError(t, os.Mkdir(filepath.Join(c.dir, "machine.json"), 0o700))
	require.Error(t, c.adopt(t, word))
	require.Len(t, c.audit(t), lines)
}
