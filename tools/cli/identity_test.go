package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPluginIDOfAnExecutable(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/sh":                             "sh",
		"/x/My_Tool.v2":                       "my-tool-v2",
		"/x/--odd--":                          "odd",
		"/x/7z":                               "cmd-7z",
		"/x/...":                              "cmd",
		"/x/ümlaut":                           "mlaut",
		"/" + strings.Repeat("a", 200):        strings.Repeat("a", 128),
		"/" + strings.Repeat("a", 127) + "-b": strings.Repeat("a", 127),
	} {
		require.Equal(t, want, pluginID(path), path)
	}
}

// Whatever the executable is called, the identity made for it is one that Acquire takes.
func TestAMadeIdentityIsValid(t *testing.T) {
	for _, name := range []string{"sh", "7z", "...x", "A B", strings.Repeat("n-", 100)} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o700))
		id, err := madeIdentity(subject{path: path, args: []string{name}})
		require.NoError(t, err)
		require.NoError(t, id.Validate(), name)
	}
}

func TestTheCommandRecordTellsCommandsApart(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []subject{
		{path: "/bin/a", args: []string{"a"}},
		{path: "/bin/a", args: []string{"a", ""}},
		{path: "/bin/a", args: []string{"a", "b", "c"}},
		{path: "/bin/a", args: []string{"a", "bc"}},
		{path: "/bin/a", args: []string{"a", "b\nc"}},
		{path: "/bin/a", args: []string{"a", "\xff"}},
		{path: "/bin/a", args: []string{"a", "\ufffd"}},
		{path: "/bin/b", args: []string{"a"}},
	} {
		require.False(t, seen[commandRecord(s)], "%q", s)
		seen[commandRecord(s)] = true
	}
	// printf 'containlease/command-v1\0/bin/sh\0sh\0' | sha256sum
	require.Equal(t, "6c800297ccd806895b08096ab18d14c6b2be821a55ee9609d808195c8d7f113c", commandRecord(subject{path: "/bin/sh", args: []string{"sh"}}))
}
