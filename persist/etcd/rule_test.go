package etcd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The import rule: of containlease this package may know bytes under compare-and-swap and the generated records.
func TestImportRule(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{join .Imports " "}}`, ".")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	require.NoError(t, err)
	ours := 0
	for _, path := range strings.Fields(string(out)) {
		if strings.HasPrefix(path, "containlease/") {
			require.Contains(t, []string{"containlease/persist", "containlease/gen/leasefile"}, path)
			ours++
		}
	}
	require.Equal(t, 2, ours)
}
