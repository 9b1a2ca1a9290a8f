package verdict_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/fsm"
	"containlease/gen/leasefile"
)

// TestEveryStatusIsAState: the states that a file can hold are the statuses of the schema, in the order of a life.
func TestEveryStatusIsAState(t *testing.T) {
	var states, statuses []string
	for _, state := range fsm.States {
		if state != fsm.StateAbsent && state != fsm.StateReleased {
			states = append(states, string(state))
		}
	}
	for _, status := range leasefile.ContainmentStatuses {
		statuses = append(statuses, string(status))
	}
	slices.Sort(states)
	slices.Sort(statuses)
	require.Equal(t, states, statuses)
}

// TestDriftFailsTheBuild builds this package beside a drifted copy of a file that it depends on.
func TestDriftFailsTheBuild(t *testing.T) {
	const statuses, table = "../../gen/leasefile/containment_gen.go", "../../fsm/table.go"
	for _, c := range []struct{ name, file, old, new, want string }{
		{"nothing changed", statuses, "", "", ""},
		{"the schema renames a status", statuses, `= "host-active"`, `= "host-busy"`, "duplicate key false"},
		{"the schema gains a status", statuses, "\tContainmentStatusCleanupUnsafe,\n}", "\tContainmentStatusCleanupUnsafe,\n\t\"paused\",\n}", "invalid argument: index"},
		{"the schema loses a status", statuses, "\tContainmentStatusCleanupUnsafe,\n}", "}", "invalid argument: index"},
		{"the lifecycle renames a state", table, `= "cleanup-unsafe"`, `= "cleanup-failed"`, "duplicate key false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := buildWith(t, c.file, c.old, c.new)
			if c.want == "" {
				require.NoError(t, err, "%s", out)
				return
			}
			require.Error(t, err)
			require.Contains(t, out, "tripwire.go")
			require.Contains(t, out, c.want)
		})
	}
}

// buildWith compiles this package with one file of the module changed, through an overlay: the tree stays as it is.
func buildWith(t *testing.T, file, old, new string) (string, error) {
	t.Helper()
	path, err := filepath.Abs(file)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), old, new, 1)), 0o600))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, ".").CombinedOutput()
	return string(out), err
}
