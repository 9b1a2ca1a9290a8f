package section_test

import (
	"os"
	"path/filepath"
	"testing"

	"containlease/tools/internal/section"

	"github.com/stretchr/testify/require"
)

func TestReplace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.md")
	require.ErrorIs(t, section.Replace(file, "a", "text\n"), os.ErrNotExist)
	require.NoError(t, os.WriteFile(file, []byte("# X\n"), 0o600))
	require.NoError(t, section.Replace(file, "a", "one\n"))
	require.NoError(t, section.Replace(file, "b", "kept\n"))
	require.NoError(t, section.Replace(file, "a", "two\n"))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# X\n\n<!-- begin a -->\ntwo\n<!-- end a -->\n\n<!-- begin b -->\nkept\n<!-- end b -->\n", string(got))

	require.NoError(t, os.WriteFile(file, []byte("<!-- begin a -->\nopen\n"), 0o600))
	require.ErrorContains(t, section.Replace(file, "a", "x\n"), "section a has no end")
}
