package lease_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"containlease/fsm"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/stories with what happens now")

// TestStories plays every story in testdata/stories: sessions in which somebody types a command after "> ", and which say what then
// happened. The commands are those of commands, in stage_test.go; lines that begin with # are the story's own words.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/stories/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	told, stories := "", 0
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			got := retell(t, string(b))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			} else {
				require.Equal(t, string(b), got, "run the test with -update if this is meant")
			}
			told += got
			stories++
		})
	}
	if stories == len(paths) { // all of them, and none failed
		toldAll(t, told)
	}
}

// toldAll: the stories together have every arrow, every class of refusals and every command.
func toldAll(t *testing.T, told string) {
	for _, row := range fsm.Table {
		require.Regexp(t, `(?m)^> `+string(row.Event)+`\b.*\n`+string(row.To)+"$", told)
	}
	for class := range fsm.Classes {
		require.Contains(t, told, "("+string(class)+")")
	}
	for name := range commands {
		require.Contains(t, told, "\n> "+name, "nobody tells of it")
	}
}

// retell plays the commands of a story and puts after each what happened.
func retell(t *testing.T, story string) string {
	s := newStage(t)
	var b strings.Builder
	for line := range strings.Lines(story) {
		typed, isCommand := strings.CutPrefix(line, "> ")
		if !isCommand && !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			continue // what happened last time
		}
		b.WriteString(line)
		if !isCommand {
			continue
		}
		name, argument, _ := strings.Cut(strings.TrimSpace(typed), " ")
		do := commands[name]
		require.NotNil(t, do, "there is no command %s", name)
		if happened := do(s, argument); happened != "" {
			b.WriteString(s.plain(happened) + "\n")
		}
	}
	return b.String()
}

var (
	digests = regexp.MustCompile(`[0-9a-f]{64}`)
	times   = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
)

// plain is text without what is another in every session.
func (s *stage) plain(text string) string {
	for id, name := range s.names {
		text = strings.ReplaceAll(text, id, name)
	}
	text = times.ReplaceAllString(digests.ReplaceAllString(text, "DIGEST"), "TIME")
	return strings.ReplaceAll(text, s.dir, "HOME")
}
