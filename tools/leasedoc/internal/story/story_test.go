package story

import (
	"testing"

	"containlease/fsm"
	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// TestNothingIsEverSaidTooEarly crashes both stories everywhere: Strict never removes beside a process of the plugin (I2), and
// never admits beside one whose owner does not work (I1). The original does admit, and is caught.
func TestNothingIsEverSaidTooEarly(t *testing.T) {
	judged, original := 0, 0
	for _, s := range Stories() {
		for _, m := range s.Moments {
			for _, a := range m.Accidents() {
				judged++
				j := m.Judge(a)
				require.False(t, j.Removable && a.Plugin, "%s: %s: %+v", s.Name, m.Title, a)
				require.False(t, j.Repaired && !j.Removable, "repair goes no further than the doctor")
				require.False(t, j.Block == verdict.Admitted && a.Plugin && a.Owner != "at-work", "%s: %s: %+v", s.Name, m.Title, a)
				if j.Original[0] == "admitted" && a.Plugin && a.Owner == "dead" {
					original++
				}
			}
		}
	}
	require.Greater(t, judged, 500)
	require.NotZero(t, original, "deviation orphan")
}

// TestStoriesTakeEveryKindOfStep: memory never ahead of the disk, every event fired, every step of a write seen.
func TestStoriesTakeEveryKindOfStep(t *testing.T) {
	rank := map[fsm.State]int{fsm.StateAbsent: 0, fsm.StateParentOwned: 1, fsm.StateHostStarting: 2, fsm.StateHostActive: 3,
		fsm.StateCleanupComplete: 4, fsm.StateCleanupUnsafe: 4, fsm.StateReleased: 5}
	states, arrows := map[fsm.State]bool{}, map[string]bool{}
	for _, s := range Stories() {
		for _, m := range s.Moments {
			require.LessOrEqual(t, rank[m.Memory], rank[m.Disk], "I3: %s", m.Title)
			require.LessOrEqual(t, rank[m.Settled], rank[m.Disk], m.Title)
			require.False(t, m.Gate == Open && !m.Note && m.Disk != fsm.StateHostActive && m.Disk != fsm.StateCleanupUnsafe, "I4: %s", m.Title)
			states[m.Disk], arrows[m.Arrow] = true, true
		}
	}
	for _, s := range fsm.States {
		require.True(t, states[s], s)
	}
	for _, ev := range fsm.Events {
		found := false
		for _, r := range fsm.Table {
			found = found || r.Event == ev && arrows[Key(r)]
		}
		require.True(t, found, ev)
	}
}
