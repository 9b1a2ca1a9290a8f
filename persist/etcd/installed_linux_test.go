package etcd

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// installed finds a program of Debian's packages, or skips. A clean machine's run installs them and may not skip.
func installed(t *testing.T, program, pkg string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		require.NoError(t, err, "install %s", pkg)
	}
	t.Skipf("SKIPPED: there is no %s here; Debian has it in %s", program, pkg)
	return ""
}

// TestInstalledServer runs the tests of this package once more, against the etcd that is installed: with Debian's 3.4 the oldest
// that is promised. The members of a cluster, for benchmarks, and the program of this checkout are left out.
func TestInstalledServer(t *testing.T) {
	path := installed(t, "etcd", "etcd-server")
	version, err := exec.Command(path, "--version").Output()
	require.NoError(t, err)
	t.Logf("%s", version)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-etcd", path, "-test.skip",
		"^(TestInstalledServer|TestProgram|TestImportRule|TestCluster)", "-test.v")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `--- PASS: TestNoSpace`, string(out), "nothing was tested")
}
