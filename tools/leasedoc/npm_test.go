package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"containlease/tools/leasedoc/internal/book"

	"github.com/stretchr/testify/require"
)

// TestInTheBrowsersWorld parses the diagram with the real Mermaid, and uses the page in headless Chromium. It needs npm and
// Chromium: without them it is skipped, loudly, but never in CI, where CI is set.
func TestInTheBrowsersWorld(t *testing.T) {
	npm := need(t, "npm")
	chromium := need(t, "chromium", "chromium-browser", "google-chrome")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/npm")))
	script(t, dir, "", npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")

	t.Run("the diagram parses", func(t *testing.T) {
		require.Contains(t, script(t, dir, book.Mermaid(), "node", "mermaid.mjs"), "stateDiagram")
		b, err := os.ReadFile(gen + "/docs/lifecycle.md")
		require.NoError(t, err)
		require.Contains(t, string(b), "```mermaid\n"+book.Mermaid()+"```")

		broken := exec.Command("node", "mermaid.mjs")
		broken.Dir, broken.Stdin = dir, strings.NewReader(strings.Replace(book.Mermaid(), "-->", "->->", 1))
		require.Error(t, broken.Run(), "a parser that takes anything")
	})
	t.Run("the page works", func(t *testing.T) {
		t.Setenv("CHROMIUM", chromium)
		page, err := filepath.Abs(gen + "/docs/index.html")
		require.NoError(t, err)
		t.Log(script(t, dir, "", "node", "page.mjs", page))
	})
}

// need returns the first of names that is installed.
func need(t *testing.T, names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is not installed", names[0])
	}
	t.Skipf("SKIPPED: %s is not installed, so diagram and page are not checked", names[0])
	return ""
}

func script(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}
