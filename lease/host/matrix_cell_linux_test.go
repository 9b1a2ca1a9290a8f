package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"

	"github.com/stretchr/testify/require"
)

// measure plays the story up to the moment, kills, and looks.
func (c *cell) measure(t *testing.T, crasher string, operator typist, s story) {
	home := filepath.Join(t.TempDir(), "home")
	args := []string{"owner", home, c.Boundary}
	if s.mover {
		args = append(args, newGroup(t))
	}
	if s.front {
		args[0] = "preparer"
	}
	play := newScene(t, crasher, args...)
	play.lead(s.moments[:c.at+1])
	play.strike(c.Killed)
	alive := play.settle()
	c.Alive = "nobody"
	if alive {
		c.Alive = "a child of the plugin"
	}
	if before(s.moments, c.at, "the gate opens") {
		require.False(t, play.stage.saw("the gate has started the plugin"), "nobody opened the gate")
	}

	if c.Moment == "acquire: claimed" {
		for _, suffix := range []string{"lock", "json"} {
			found, err := filepath.Glob(filepath.Join(home, "owners", "*."+suffix))
			require.NoError(t, err)
			require.Len(t, found, 1, "the claim is made")
		}
	}
	reg, err := lease.Open(t.Context(), home)
	require.NoError(t, err)
	defer reg.Close()
	i := c.ask(t, reg)
	if c.typed {
		operator.requireSame(t, home, c)
	}
	group := groupOf(i)
	c.Clears = c.clear(t, reg, i, alive, play)
	empty(t, reg)
	if group != "" {
		require.NoDirExists(t, group)
	}
}

// ask has acquire, list, show and doctor judge, and requires one verdict of them all. It returns nil where there is no lease.
func (c *cell) ask(t *testing.T, reg *lease.Registry) *lease.Inspection {
	t.Helper()
	a, err := askAll(t.Context(), reg)
	require.NoError(t, err)
	c.Acquire = a.acquire
	if a.found == nil {
		c.Disk, c.Outcome = string(fsm.StateAbsent), "no lease"
		return nil
	}
	c.Disk, c.Outcome, c.Rule = string(a.found.State), string(a.found.Verdict.Outcome), a.found.Verdict.Rule
	return a.found
}

func groupOf(i *lease.Inspection) string {
	if i == nil || i.Evidence == nil {
		return ""
	}
	return i.Evidence.Boundary.Path
}

// clear finds out, by doing it, what clears the lease: the doctor; the doctor, once the child has ended; or neither. Then it is a reboot or an
// operator's word.
func (c *cell) clear(t *testing.T, reg *lease.Registry, i *lease.Inspection, alive bool, play *scene) string {
	t.Helper()
	if i == nil {
		return "nothing is left to clear"
	}
	if removes(t, reg) {
		require.False(t, alive, "it was cleared while a process lives")
		return "doctor --apply"
	}
	if alive {
		play.kill("child")
		play.life.requireCut()
		if removes(t, reg) {
			return "doctor --apply, once the child has ended"
		}
	}
	later, err := lease.Open(t.Context(), reg.Dir(), lease.ReadOnly(), lease.WithInspector(rebooted{process.New()}))
	require.NoError(t, err)
	defer later.Close()
	rows, err := later.Repair(t.Context(), lease.RepairOptions{})
	require.NoError(t, err)
	require.True(t, rows[0].Removable, "a reboot clears everything")
	require.Contains(t, i.Next, " retire ")
	_, err = reg.Retire(t.Context(), i.ID, i.Digest, "the matrix saw that nothing is left")
	require.NoError(t, err)
	return "a reboot, or retire"
}

// removes has the doctor remove what it may.
func removes(t *testing.T, reg *lease.Registry) bool {
	t.Helper()
	rows, err := reg.Repair(t.Context(), lease.RepairOptions{Apply: true})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.NoError(t, rows[0].Err)
	require.Equal(t, rows[0].Removable, rows[0].Removed)
	return rows[0].Removed
}

// rebooted is this machine after a reboot.
type rebooted struct{ process.Inspector }

func (rebooted) Boot() (string, error) { return strings.Repeat("b", 64), nil }
