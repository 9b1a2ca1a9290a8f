//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		end(roles[os.Args[1]](os.Args[2:]))
	}
	os.Exit(m.Run())
}

func TestContention(t *testing.T) {
	for _, c := range [][2]int{{2, 20}, {16, 3}} {
		require.NoError(t, contend(t.Context(), filepath.Join(t.TempDir(), "home"), c[0], c[1]))
	}
}

func TestScannerBesideTransitions(t *testing.T) {
	require.NoError(t, inPlace("", true, func(dir string) error { return scan(t.Context(), filepath.Join(dir, "scan"), 10_000) }))
	require.NoError(t, grounds(t.Context(), t.TempDir(), 5_000))
}

func TestDoctorsAndAcquirers(t *testing.T) {
	require.NoError(t, inPlace("", true, func(dir string) error { return doctors(t.Context(), filepath.Join(dir, "doctors"), 100) }))
}

// No sync is made while the process holds the catalogue lock, in whichever mode.
func TestNoSyncUnderTheCatalogueLock(t *testing.T) {
	if err := exec.Command("strace", "-qq", "-o", "/dev/null", "true").Run(); err != nil {
		require.Empty(t, os.Getenv("CI"), "strace does not work here: %v", err)
		t.Skip("SKIPPED: strace does not work here: ", err)
	}
	log := filepath.Join(t.TempDir(), "strace")
	c := exec.Command("strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=flock,fsync,fdatasync,sync_file_range,syncfs,sync,msync",
		os.Args[0], "invoke", filepath.Join(t.TempDir(), "home"), "plugin", "5")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	locks, syncs := 0, 0
	held := map[string]bool{}
	for line := range bytes.Lines(text) {
		m := regexp.MustCompile(`flock\((\d+)<[^>]*>, (LOCK_[A-Z]+)`).FindSubmatch(line)
		switch {
		case m != nil && string(m[2]) == "LOCK_UN":
			delete(held, string(m[1]))
		case m != nil && !bytes.Contains(line, []byte("= -1")):
			held[string(m[1])] = true
			locks++
		case bytes.Contains(line, []byte("sync(")):
			syncs++
			require.Empty(t, held, "a sync under the catalogue lock: %s", line)
		}
	}
	require.GreaterOrEqual(t, locks, 25)
	require.GreaterOrEqual(t, syncs, 45, "a cycle has 9")
}
