package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoFaultPointIsShipped wants nothing of the crash matrix in the program: neither the name of its socket nor of any point. The crasher,
// which is built for the matrix alone, has both.
func TestNoFaultPointIsShipped(t *testing.T) {
	traces := []string{"CONTAINLEASE_FAULT_SOCKET", "the gate leaves its note", "the boundary is recorded", "FaultPoint"}
	shipped := built(t, "./tools/containlease")
	faulty := built(t, "./lease/host/testdata/crasher", "-tags", "faultpoints")
	for _, trace := range traces {
		require.False(t, bytes.Contains(shipped, []byte(trace)), "the program has %q in it", trace)
		require.True(t, bytes.Contains(faulty, []byte(trace)), "the crasher has no %q in it: this test proves nothing", trace)
	}
}

func built(t *testing.T, pkg string, flags ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), pkg)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	program, err := os.ReadFile(path)
	require.NoError(t, err)
	return program
}
