package rehearsal

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// GoRun runs the example in the present directory as its readers do, and returns what it prints.
func GoRun(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "run", ".").Output()
	require.NoError(t, err)
	return string(out)
}
