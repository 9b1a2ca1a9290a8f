// Package house tests what no compiler does: which room may look into which, and what a program that uses the library
// links.
package house

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/links.txt")

const root = "../.."

// mayImport is the import rule: what each package of the root module may import beyond the standard library. Tests are free.
var mayImport = map[string][]string{
	"containlease/schema":        {},
	"containlease/gen/wire":      {},
	"containlease/gen/leasefile": {"containlease/gen/wire"},
	"containlease/fsm":           {"github.com/looplab/fsm"},
	"containlease/persist":       {},
	"containlease/persist/file": {"containlease/persist", "containlease/persist/internal/disk", "golang.org/x/sys/unix",
		"golang.org/x/sys/windows"},
	"containlease/persist/internal/disk": {},
	"containlease/persist/memory":        {"containlease/persist/internal/disk"},
	"containlease/persist/persisttest":   {"containlease/persist", "github.com/stretchr/testify/require"},
	"containlease/lease/process":         {"golang.org/x/sys/unix", "golang.org/x/sys/windows"},
	"containlease/lease/cgroup":          {"golang.org/x/sys/unix"},
	"containlease/lease/verdict":         {"containlease/gen/leasefile", "containlease/fsm"},
	"containlease/lease": {"containlease/gen/leasefile", "containlease/fsm", "containlease/persist", "containlease/persist/file",
		"containlease/lease/process", "containlease/lease/cgroup", "containlease/lease/verdict", "github.com/google/uuid"},
	"containlease/lease/host": {"containlease/gen/leasefile", "containlease/fsm", "containlease/persist", "containlease/persist/file",
		"containlease/lease/process", "containlease/lease/cgroup", "containlease/lease/verdict", "containlease/lease", "golang.org/x/sys/unix"},
}

func TestImportRule(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		seen := 0
		for _, line := range list(t, system, `{{.ImportPath}} {{.Name}} {{join .Imports " "}}`, "./...") {
			fields := strings.Fields(line)
			if len(fields) < 2 {
				continue
			}
			allowed, known := mayImport[fields[0]]
			if !known {
				require.Empty(t, fields[2:], "%s is in no row of the import rule", fields[0]) // packages of tests only
				continue
			}
			seen++
			for _, dep := range fields[2:] {
				if strings.Contains(dep, ".") || strings.HasPrefix(dep, "containlease") {
					require.Contains(t, allowed, dep, "on %s %s imports %s, against the import rule", system, fields[0], dep)
				}
			}
		}
		require.Equal(t, len(mayImport), seen, "a row without a package")
	}
}

// TestLinks holds the modules that a program importing lease links against a golden file: looplab/fsm, google/uuid, x/sys,
// and nothing else.
func TestLinks(t *testing.T) {
	var modules []string
	for _, m := range list(t, "linux", `{{with .Module}}{{.Path}}{{end}}`, "-deps", "./lease", "./lease/host") {
		if m != "" && m != "containlease" {
			modules = append(modules, m)
		}
	}
	slices.Sort(modules)
	got := strings.Join(slices.Compact(modules), "\n") + "\n"
	const golden = "testdata/links.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run the test with -update if this is meant, and say why in DECISIONS.md")
}

// TestEveryPackageHasAManual wants one package comment per package of every module.
func TestEveryPackageHasAManual(t *testing.T) {
	for _, module := range modules {
		for _, line := range listIn(t, module, "linux", `{{.ImportPath}}|{{.Name}}|{{len .GoFiles}}|{{.Doc}}`, "./...") {
			parts := strings.SplitN(line, "|", 4)
			if len(parts) == 4 && parts[2] != "0" {
				want := "Package " + parts[1] + " "
				if parts[1] == "main" {
					want = ""
				}
				require.NotEmpty(t, parts[3], "%s has no package comment", parts[0])
				require.True(t, strings.HasPrefix(parts[3], want), "the comment of %s does not begin with %q", parts[0], want)
			}
		}
	}
}

// unexampled are packages of generated code, of this module, and of tests that need a testing.T.
var unexampled = map[string]bool{"containlease/gen/wire": true, "containlease/persist/internal/disk": true, "containlease/persist/persisttest": true}

// TestEveryPackageHasAnExample wants one that runs in every package that programs import.
func TestEveryPackageHasAnExample(t *testing.T) {
	for _, line := range list(t, "linux", `{{.ImportPath}}|{{.Dir}}|{{join .TestGoFiles ","}},{{join .XTestGoFiles ","}}`, "./...") {
		parts := strings.Split(line, "|")
		if _, known := mayImport[parts[0]]; !known || unexampled[parts[0]] {
			continue
		}
		runs := false
		for name := range strings.SplitSeq(parts[2], ",") {
			text, _ := os.ReadFile(filepath.Join(parts[1], name))
			runs = runs || strings.Contains(string(text), "\nfunc Example") && strings.Contains(string(text), "// Output:")
		}
		require.True(t, runs, "%s has no example with an output", parts[0])
	}
}

func list(t *testing.T, system, format string, args ...string) []string {
	t.Helper()
	return listIn(t, ".", system, format, args...)
}

// listIn asks go list in the folder of a module.
func listIn(t *testing.T, module, system, format string, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-f", format}, args...)...)
	cmd.Dir = filepath.Join(root, module)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=") // without the overlay of traces
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
