package explain_test

import (
	"go/build"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"containlease/tools/leasedoc/internal/explain"

	"github.com/stretchr/testify/require"
)

// TestPlatformsAreWhatBuildsThere holds the words about each system against the files that are compiled for it.
func TestPlatformsAreWhatBuildsThere(t *testing.T) {
	for _, p := range explain.Platforms {
		honest := func(dir, file string) bool { return slices.Contains(files(t, p.GOOS, dir), file) }
		require.Equal(t, honest("lease/host", "other.go"), p.End == "not offered", p.GOOS)
		require.Equal(t, honest("lease/process", "other.go"), strings.HasPrefix(p.Identity, "not established"), p.GOOS)
		require.Equal(t, honest("persist/file", "sys_other.go"), strings.HasPrefix(p.Home, "refused"), p.GOOS)
		if honest("lease/process", "boot_darwin.go") {
			require.Contains(t, p.Identity, "boot")
		}
	}
}

// TestPurePackagesAreTheSameEverywhere: code and tests.
func TestPurePackagesAreTheSameEverywhere(t *testing.T) {
	for _, dir := range explain.Pure {
		for _, p := range explain.Platforms {
			require.Equal(t, files(t, "linux", dir), files(t, p.GOOS, dir), "%s on %s", dir, p.GOOS)
		}
		require.NotEmpty(t, files(t, "linux", dir))
	}
}

// files are those of a package that build on a system.
func files(t *testing.T, goos, dir string) []string {
	ctx := build.Default
	ctx.GOOS, ctx.CgoEnabled = goos, false
	pkg, err := ctx.ImportDir(filepath.Join(root, dir), 0)
	require.NoError(t, err)
	return slices.Concat(pkg.GoFiles, pkg.TestGoFiles, pkg.XTestGoFiles)
}
