package host_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/lease"
	"containlease/lease/process"
	"containlease/lease/verdict"

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
	c.Clears = c.clear(t, reg, operator, i, alive, play)
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

// clear finds out, by doing it, what clears the lease: the doctor; the end of who lives, and then the doctor; or neither. Then it is
// a reboot or an operator's word. What is printed is typed at some cells.
func (c *cell) clear(t *testing.T, reg *lease.Registry, operator typist, i *lease.Inspection, alive bool, play *scene) string {
	t.Helper()
	if i == nil {
		return "nothing is left to clear"
	}
	if removes(t, reg) {
		require.False(t, alive, "it was cleared while a process lives")
		return "doctor --apply"
	}
	if alive && c.stop(t, reg, operator, i.ID, play) {
		return "stop"
	}
	later, err := lease.Open(t.Context(), reg.Dir(), lease.ReadOnly(), lease.WithInspector(rebooted{process.New()}))
	require.NoError(t, err)
	defer later.Close()
	rows, err := later.Repair(t.Context(), lease.RepairOptions{})
	require.NoError(t, err)
	require.True(t, rows[0].Removable, "a reboot clears everything")
	c.retire(t, reg, operator, rows[0].ID)
	if alive {
		return "stop, and then a reboot or retire"
	}
	return "a reboot, or retire"
}

// stop ends who lives, which is what is printed to be typed, and reports whether that clears the lease.
func (c *cell) stop(t *testing.T, reg *lease.Registry, operator typist, id string, play *scene) (cleared bool) {
	t.Helper()
	i, err := reg.Inspect(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, verdict.ActStop, i.Next.Action, "%v", i.Words)
	if c.typed {
		code := operator.typesNext(t, reg.Dir(), " --grace 50ms")
		require.Contains(t, []int{0, 76}, code)
		cleared = code == 0
	} else {
		done, err := reg.Stop(bounded(t), id, politely)
		require.True(t, err == nil || errors.Is(err, lease.ErrUnproved), "%v", err)
		cleared = done.Cleared
	}
	play.life.requireCut()
	return cleared
}

// retire takes an operator's word, which is refused as it is printed.
func (c *cell) retire(t *testing.T, reg *lease.Registry, operator typist, id string) {
	t.Helper()
	i, err := reg.Inspect(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, verdict.ActRetire, i.Next.Action)
	if c.typed {
		require.Equal(t, 64, operator.typesNext(t, reg.Dir(), ""), "nobody vouches by copying")
	}
	_, err = reg.Retire(t.Context(), i.ID, i.Digest, "the matrix saw that nothing is left")
	require.NoError(t, err)
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
