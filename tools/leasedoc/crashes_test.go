package main

import (
	"testing"

	"containlease/lease/verdict"
	"containlease/tools/leasedoc/internal/crashes"
	"containlease/tools/leasedoc/internal/story"

	"github.com/stretchr/testify/require"
)

func measuredCrashes(t *testing.T) []crashes.Cell {
	t.Helper()
	cells, err := crashes.Read(gen + "/crashes/measured.jsonl")
	require.NoError(t, err)
	require.Greater(t, len(cells), 300)
	return cells
}

// TestNothingMeasuredIsSaidTooEarly: no lease is cleared, or admitted beside, while a process of it lives.
func TestNothingMeasuredIsSaidTooEarly(t *testing.T) {
	alive := 0
	for _, c := range measuredCrashes(t) {
		if c.Alive == crashes.Nobody {
			continue
		}
		alive++
		require.False(t, c.Unseen() || c.Acquire == "admits", "%+v", c)
	}
	require.Greater(t, alive, 10)
}

// TestTheTablesSayWhatWasMeasured holds the story of section 7, whose boundary is the subreaper's, against the matrix.
func TestTheTablesSayWhatWasMeasured(t *testing.T) {
	told := map[string][]string{}
	for _, s := range story.Stories() {
		for _, m := range s.Moments {
			told[m.Title] = m.Fates()
		}
	}
	compared := map[string]bool{}
	for _, c := range measuredCrashes(t) {
		fates, known := told[c.Moment]
		if c.Boundary != "subreaper" || c.Story != "the end is proved" && c.Moment == "the gate ends" || !known {
			continue // the gate that ends by being killed is another moment of the story
		}
		switch c.Killed {
		case "owner":
			require.Equal(t, fates[0], fate(c), "%+v", c)
		case "all":
			require.Equal(t, fates[1], fate(c), "%+v", c)
		}
		compared[c.Moment] = true
	}
	require.Greater(t, len(compared), 25)
}

// fate is a cell in the words of the story.
func fate(c crashes.Cell) string {
	j := story.Judgement{Removable: c.Clears == crashes.Doctor}
	if c.Rule != "" {
		j.Outcome = verdict.Outcome(c.Outcome)
	}
	if c.Acquire != "admits" {
		j.Block = verdict.Block(c.Acquire)
	}
	return j.Fate()
}
