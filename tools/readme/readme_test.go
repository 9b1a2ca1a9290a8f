package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"containlease/lease/host"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// documents are the hand-written texts that show commands or code. That of persist/etcd is played by the tests there, beside a server.
var documents = []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "persist/etcd/README.md", "schema/vectors/README.md"}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(b)
}

// TestREADME types every command of the README and wants the outputs that it shows.
func TestREADME(t *testing.T) {
	if host.Supported() != nil {
		t.Skip("the README's commands run on Linux only")
	}
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{root + "/README.md"}, &stdout, &stderr), "%s%s\nlook at it; then, in tools: go run ./readme -write ../README.md", &stdout, &stderr)
}

// TestMakeRun: the first command that a newcomer types.
func TestMakeRun(t *testing.T) {
	if host.Supported() != nil || testing.Short() {
		t.Skip("the main job runs on Linux only, and for some seconds")
	}
	cmd := exec.Command("make", "--no-print-directory", "run") // this test may be run by a make of its own
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, strings.HasSuffix(string(out), "Everything was as claimed, and nothing is left.\n"), "%s", out)
}

var (
	block  = regexp.MustCompile("(?ms)^```(\\S*)\n(.*?)^```$")
	target = regexp.MustCompile("(?m)^([a-z-]+):.*## ")
	makes  = regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)")
)

// TestNothingElseLooksLikeACommand: a block is a console session, which is run; Go, which is cut from an example; a drawing; or sh, for
// make and for what takes a real cluster.
func TestNothingElseLooksLikeACommand(t *testing.T) {
	for _, name := range documents {
		for _, b := range block.FindAllStringSubmatch(read(t, name), -1) {
			switch b[1] {
			case "console", "go":
			case "":
				require.NotContains(t, b[2], "$ ", name)
			case "sh":
				if name == "persist/etcd/README.md" {
					continue // TestManual types them there
				}
				for line := range strings.Lines(b[2]) {
					require.Regexp(t, `^make `, line, name)
				}
			default:
				t.Errorf("%s: a block of %s", name, b[1])
			}
		}
	}
}

// TestMakeTargetsAreThere: every `make X` of the documents is a target.
func TestMakeTargetsAreThere(t *testing.T) {
	there := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		there[m[1]] = true
	}
	named := 0
	for _, name := range documents {
		for _, m := range makes.FindAllStringSubmatch(read(t, name), -1) {
			named++
			require.True(t, there[m[1]], "%s: make %s", name, m[1])
		}
	}
	require.Greater(t, named, 5)
}

// TestGoBlocks wants every block of Go to be lines of an example, which the compiler and the test of that package have seen.
// Of the example, only lines that clean up may be left out.
func TestGoBlocks(t *testing.T) {
	var examples []string
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if ok, _ := filepath.Match("example*_test.go", d.Name()); ok && err == nil {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			examples = append(examples, flat(string(b)))
		}
		return err
	}))
	found := 0
	for _, name := range documents {
		for _, b := range block.FindAllStringSubmatch(read(t, name), -1) {
			if b[1] == "go" {
				found++
				require.Contains(t, strings.Join(examples, "\n//\n"), flat(b[2]), "%s: this is in no example", name)
			}
		}
	}
	require.Positive(t, found)
}

// flat is Go without its indentation and its defers.
func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "defer ") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestDifferencesAreSeen walks the whole use: outputs are filled in, say the same in the next session, ids are translated, an edit shows.
func TestDifferencesAreSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sample.md")
	text := "# Sample\n\n```console\n$ containlease run -- sh -c 'exit 7'; echo $?\n$ cat /proc/sys/kernel/random/uuid | tee id\n" +
		"$ printf %s \\\n> \"$HOME\"\n```\nbye\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, run([]string{path}, &stdout, &stderr))
	require.Contains(t, stdout.String(), "+7\n")
	require.Zero(t, run([]string{"-write", path}, &stdout, &stderr), "%s", &stderr)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	text = string(b)
	require.Regexp(t, `^# Sample\n\n`+"```console\n"+`\$ .*\n7\n\$ .*\n[0-9a-f-]{36}\n\$ printf .*\n> .*\n/home/you\n`+"```\nbye\n$", text)

	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(text)
	text = strings.Replace(text, "```\nbye", "$ grep -c "+id+" id\n1\n```\nbye", 1)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	require.Zero(t, run([]string{path}, &stdout, &stderr), "an id that was shown stands for this session's\n%s", &stdout)

	stdout.Reset()
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text, "\n7\n", "\n8\n", 1)), 0o644))
	require.Equal(t, 1, run([]string{path}, &stdout, &stderr))
	require.Contains(t, stdout.String(), "-8\n+7\n")
	require.Equal(t, 1, run([]string{filepath.Join(root, "nowhere.md")}, &stdout, &stderr))
	require.Equal(t, 2, run([]string{"-as", "x", path}, &stdout, &stderr))
}
