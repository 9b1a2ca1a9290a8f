package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/schema"
)

// probe is a program around generated code: it reads [matcher, text] in JSON, one a
// line, and prints for each what the matcher says of the whole text.
const probe = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"containlease/gen/wire"
)

func main() {
	texts := map[string]*wire.Text{%s}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var question [2]string
		if err := json.Unmarshal(lines.Bytes(), &question); err != nil {
			panic(err)
		}
		n, ok := texts[question[0]].Match([]byte(question[1]))
		fmt.Println(ok && n == len(question[1]))
	}
}
`

// question is one text for one matcher, with what Go's regexp says.
type question struct {
	matcher, text string
	want          bool
}

// TestMatchersAgreeWithRegexp compiles the generated matchers and compares each with
// Go's regexp, on texts made from its own pattern and then damaged.
func TestMatchersAgreeWithRegexp(t *testing.T) {
	files, err := generate()
	require.NoError(t, err)
	var schemas [][]byte
	for _, name := range documents {
		text, _ := schema.Read(name)
		schemas = append(schemas, text)
	}
	ask(t, files, patternsOf(t, schemas...))

	const hard = "testdata/accepted/patterns"
	text, err := os.ReadFile(hard + "/thing-v1.schema.json")
	require.NoError(t, err)
	ask(t, accepted(t, hard, "main"), patternsOf(t, text))
}

// patternsOf returns the patterns of schemas by the Go name of their definition.
func patternsOf(t *testing.T, schemas ...[]byte) map[string]string {
	t.Helper()
	patterns := map[string]string{}
	for _, text := range schemas {
		var s struct {
			Defs map[string]struct{ Pattern string } `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(text, &s))
		for name, def := range s.Defs {
			if def.Pattern != "" {
				patterns[goName(name)] = def.Pattern
			}
		}
	}
	require.NotEmpty(t, patterns)
	return patterns
}

func goName(name string) string {
	name = strings.NewReplacer("uuid4", "UUID4", "sha256", "SHA256").Replace(name)
	return strings.ToUpper(name[:1]) + name[1:]
}

// ask builds the generated files into a program and asks it about texts for each
// pattern.
func ask(t *testing.T, files map[string][]byte, patterns map[string]string) {
	t.Helper()
	dir := newModule(t)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for name, text := range files {
		write(name, strings.Replace(string(text), "package leasefile\n", "package main\n", 1))
	}
	var matchers strings.Builder
	for name := range patterns {
		fmt.Fprintf(&matchers, "%q: &text%s,", name, name)
	}
	write("main.go", fmt.Sprintf(probe, &matchers))

	questions := questionsAbout(t, patterns)
	var in, out bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal([2]string{q.matcher, q.text})
		require.NoError(t, err)
		fmt.Fprintf(&in, "%s\n", line)
	}
	cmd := goCommand(t, dir, "run", "-mod=mod", ".")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr
	require.NoError(t, cmd.Run())
	answers := strings.Fields(out.String())
	require.Len(t, answers, len(questions))
	for i, q := range questions {
		require.Equal(t, fmt.Sprint(q.want), answers[i], "%s %s on %q", q.matcher, patterns[q.matcher], q.text)
	}
}

func questionsAbout(t *testing.T, patterns map[string]string) []question {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	var questions []question
	for name, pattern := range patterns {
		re := regexp.MustCompile(pattern)
		tree, err := syntax.Parse(pattern, syntax.Perl)
		require.NoError(t, err)
		matched := 0
		for i := range 2000 {
			text := []rune(sample(random, tree))
			for range i % 3 {
				text = damage(random, text)
			}
			want := re.MatchString(string(text))
			if want {
				matched++
			}
			questions = append(questions, question{name, string(text), want})
		}
		require.Greater(t, matched, 500, pattern)
		require.Less(t, matched, 2000, pattern)
	}
	return questions
}

// sample makes a text that the expression matches.
func sample(random *rand.Rand, re *syntax.Regexp) string {
	repeat := func(least, most int) string {
		var b strings.Builder
		for range least + random.IntN(most-least+1) {
			b.WriteString(sample(random, re.Sub[0]))
		}
		return b.String()
	}
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		i := random.IntN(len(re.Rune)/2) * 2
		return string(re.Rune[i] + rune(random.IntN(int(min(re.Rune[i+1]-re.Rune[i], 300))+1)))
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return "x"
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(sample(random, sub))
		}
		return b.String()
	case syntax.OpAlternate:
		return sample(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpCapture:
		return sample(random, re.Sub[0])
	case syntax.OpQuest:
		return repeat(0, 1)
	case syntax.OpStar:
		return repeat(0, 12)
	case syntax.OpPlus:
		return repeat(1, 12)
	case syntax.OpRepeat:
		return repeat(re.Min, max(re.Max, re.Min))
	}
	return "" // anchors
}

// damage changes, drops, doubles or adds one character.
func damage(random *rand.Rand, text []rune) []rune {
	others := []rune("a-z09Z.: \x00\n\"\\é😀")
	at := random.IntN(len(text) + 1)
	rest := text[at:]
	text = append([]rune{}, text[:at]...)
	switch random.IntN(4) {
	case 0:
		return append(append(text, others[random.IntN(len(others))]), rest...)
	case 1:
		return append(append(text, rest[:min(1, len(rest))]...), rest...)
	case 2:
		return append(append(text, others[random.IntN(len(others))]), rest[min(1, len(rest)):]...)
	}
	return append(text, rest[min(1, len(rest)):]...)
}
