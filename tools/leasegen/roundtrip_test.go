package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/schema"
	"containlease/tools/leasegen/internal/emit"
)

const roundTrip = "testdata/roundtrip/"

// TestMirrorGolden compares the methods that reflect the generated types with what is
// checked in.
func TestMirrorGolden(t *testing.T) {
	got := mirror(t)
	const golden = roundTrip + "jsonschema_gen_test.go"
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func mirror(t *testing.T) []byte {
	t.Helper()
	texts := map[string]string{}
	for _, name := range documents {
		text, ok := schema.Read(name)
		require.True(t, ok, name)
		texts[name] = string(text)
	}
	pkg, err := build(texts, documents...)
	require.NoError(t, err)
	got, err := emit.Mirror(pkg, target)
	require.NoError(t, err)
	return got
}

// TestRoundTrip runs the tests of testdata/roundtrip as if they lay in gen/leasefile.
// They cannot lie there: they need invopop/jsonschema, which the library does not
// depend on, and methods can be declared beside their types only.
func TestRoundTrip(t *testing.T) {
	out, err := inLeasefile(t, "")
	require.NoError(t, err, "%s", out)
	require.Contains(t, out, "--- PASS: TestRoundTrip")
	out, err = inLeasefile(t, "operationidentity_gen.go", "\tContractVersion int64\n", "\tContractVersion int64\n\tExtra bool\n")
	require.Error(t, err)
	require.Contains(t, out, "fields without a member: map[Extra:true]")
}

// inLeasefile runs them with one file of the package changed.
func inLeasefile(t *testing.T, file string, change ...string) (string, error) {
	t.Helper()
	dir, err := filepath.Abs("../../gen/leasefile")
	require.NoError(t, err)
	replace := map[string]string{}
	for _, name := range []string{"jsonschema_gen_test.go", "roundtrip_test.go"} {
		replace[filepath.Join(dir, name)], err = filepath.Abs(roundTrip + name)
		require.NoError(t, err)
	}
	room := t.TempDir()
	if file != "" {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(text), change[0])
		changed := filepath.Join(room, file)
		require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600))
		replace[filepath.Join(dir, file)] = changed
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	path := filepath.Join(room, "overlay.json")
	require.NoError(t, os.WriteFile(path, overlay, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", path, "-vet=off", "-v", "-run", "^TestRoundTrip$", "containlease/gen/leasefile")
	// Only the workspace knows both the package and what the tests need.
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(filepath.Dir(filepath.Dir(dir)), "go.work"), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
