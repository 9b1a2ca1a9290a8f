package book

import (
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/verdict"
	"containlease/tools/leasedoc/internal/model"
	"containlease/tools/leasedoc/internal/space"

	"github.com/stretchr/testify/require"
)

func TestEveryCellIsFilled(t *testing.T) {
	for _, s := range fsm.States {
		for _, ev := range fsm.Events {
			require.NotEmpty(t, Cell(s, ev))
		}
	}
	require.Equal(t, "→ **host-active**", Cell(fsm.StateHostStarting, fsm.HostStarted))
	require.Equal(t, "✗ complete-after-unsafe", Cell(fsm.StateCleanupUnsafe, fsm.CleanupComplete))
}

func TestSections(t *testing.T) {
	runs, err := model.Runs()
	require.NoError(t, err)
	text := lifecycleDocument(runs, nil)
	require.Equal(t, 12, strings.Count(text, "\n## "), "twelve sections")
	require.Contains(t, text, "run `make model`", "results of another model are not passed off as this one's")
	for _, r := range verdict.Ladder {
		require.Contains(t, runbookDocument(), "\n## "+r.Name+"\n")
	}
	require.Len(t, space.Tallies(), len(verdict.Ladder), "every rung decides something")
}

// TestExamplesAreValid decodes every example.
func TestExamplesAreValid(t *testing.T) {
	for name, decode := range map[string]func([]byte) error{
		"lease-v2":    func(b []byte) error { _, err := leasefile.Decode(b); return err },
		"evidence-v2": func(b []byte) error { _, err := leasefile.DecodeEvidenceV2(b); return err },
		"empty-v1":    func(b []byte) error { _, err := leasefile.DecodeEmptyV1(b); return err },
		"home-v1":     func(b []byte) error { _, err := leasefile.DecodeHomeV1(b); return err },
		"plugin-v1":   func(b []byte) error { _, err := leasefile.DecodePluginV1(b); return err },
	} {
		require.NoError(t, decode([]byte(examples[name]())), name)
	}
}
