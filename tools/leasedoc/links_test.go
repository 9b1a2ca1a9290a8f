package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	mdLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	htmlLink = regexp.MustCompile(`href="([^"]+)"`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped  = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// TestLinks follows every link of the documents, generated or written: to a file of this repository, and to a heading in it.
// Nothing leads out of the repository.
func TestLinks(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"gen/docs/*", "*.md", "persist/*/*.md", "schema/*/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		paths = append(paths, found...)
	}
	followed := 0
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		link := mdLink
		switch filepath.Ext(path) {
		case ".md":
		case ".html":
			link = htmlLink
		default:
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.HasPrefix(m[1], "data:") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			info, err := os.Stat(target)
			require.NoError(t, err, "%s: %s", path, m[1])
			if anchor != "" {
				require.False(t, info.IsDir())
				require.Contains(t, anchors(t, target), anchor, "%s: %s", path, m[1])
			}
		}
	}
	require.Greater(t, followed, 50)
}

// anchors are the names that headings get: lower case, no punctuation, hyphens for spaces.
func anchors(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var out []string
	for _, m := range heading.FindAllStringSubmatch(string(b), -1) {
		out = append(out, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}

// TestThePageLinksEveryDocument: who begins with the page finds all the rest; the picture is in it.
func TestThePageLinksEveryDocument(t *testing.T) {
	page, err := os.ReadFile("../../gen/docs/index.html")
	require.NoError(t, err)
	var linked []string
	for _, m := range htmlLink.FindAllStringSubmatch(string(page), -1) {
		linked = append(linked, m[1])
	}
	entries, err := os.ReadDir("../../gen/docs")
	require.NoError(t, err)
	for _, e := range entries {
		if name := e.Name(); name != "index.html" && name != "lifecycle.svg" {
			require.Contains(t, linked, name)
		}
	}
}
