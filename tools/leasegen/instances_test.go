package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// instance is a line of instances.jsonl: a document for the schemas of its folder, and
// the code and pointer of its refusal if it is not valid.
type instance struct {
	Text, Code, Pointer string
}

func instances(t *testing.T, dir string) []instance {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "instances.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var rows []instance
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row instance
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows, dir)
	return rows
}

// asked is a question to the generated decoder of a folder, by its number, about a text.
type asked struct {
	Folder int
	Text   []byte
}

// TestGeneratedCodeDecides compiles what is generated for each folder, runs it on the
// folder's instances and on mutants of them, and compares the first with what the
// folder says and the others with a validator that knows nothing of the generator.
func TestGeneratedCodeDecides(t *testing.T) {
	const mutants = 400
	dirs, err := filepath.Glob("testdata/accepted/*")
	require.NoError(t, err)
	var questions []asked
	var wanted []instance
	random := rand.New(rand.NewPCG(7, 7))
	for i, dir := range dirs {
		rows := instances(t, dir)
		for _, row := range rows {
			questions, wanted = append(questions, asked{i, []byte(row.Text)}), append(wanted, row)
		}
		for range mutants {
			text := spoil(random, []byte(rows[random.IntN(len(rows))].Text))
			questions = append(questions, asked{i, text})
		}
		wanted = append(wanted, make([]instance, mutants)...)
	}
	answers := interview(t, dirs, questions)
	require.Len(t, answers, len(questions))
	judges := judges(t, dirs)
	compared := 0
	for i, q := range questions {
		folder := filepath.Base(dirs[q.Folder])
		if wanted[i].Text != "" {
			require.Equal(t, wanted[i], instance{wanted[i].Text, answers[i].Code, answers[i].Pointer}, folder)
		}
		if valid, can := judge(judges[q.Folder], q.Text, answers[i].Code); can {
			require.Equal(t, valid, answers[i].Code == "", "%s: %s\nthe decoder says %q", folder, q.Text, answers[i].Code)
			compared++
		}
	}
	require.Greater(t, compared, len(questions)/4)
	t.Logf("%d folders, %d documents, %d of them compared with a validator", len(dirs), len(questions), compared)
}

// spoil makes one or two random edits.
func spoil(random *rand.Rand, text []byte) []byte {
	pieces := []string{`"`, `,`, `:`, `{`, `}`, ` `, `null`, `true`, `false`, `0`, `1`, `9`, `-`, `.0`, `e1`, `a`, `b`, `z`, `A`, `é`, `😀`, `\u0061`, `"a":1,`, `"kind":"arc"`, `red`, ``, ``}
	for range 1 + random.IntN(2) {
		at := random.IntN(len(text) + 1)
		end := min(len(text), at+random.IntN(3))
		text = slices.Replace(slices.Clone(text), at, end, []byte(pieces[random.IntN(len(pieces))])...)
	}
	return text
}

// judges compiles the schemas of each folder.
func judges(t *testing.T, dirs []string) [][]*jsonschema.Schema {
	t.Helper()
	var all [][]*jsonschema.Schema
	for _, dir := range dirs {
		paths, err := filepath.Glob(dir + "/*.schema.json")
		require.NoError(t, err)
		var versions []*jsonschema.Schema
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			require.NoError(t, err)
			id := "urn:" + path
			document.(map[string]any)["$id"] = id
			compiler := jsonschema.NewCompiler()
			require.NoError(t, compiler.AddResource(id, document))
			compiled, err := compiler.Compile(id)
			require.NoError(t, err)
			versions = append(versions, compiled)
		}
		all = append(all, versions)
	}
	return all
}

var longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)

// judge asks the validator, unless the text is nothing that a schema can judge.
func judge(versions []*jsonschema.Schema, text []byte, code string) (valid, can bool) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil || !utf8.Valid(text) || code == "utf8" || longExponent.Match(text) || repeats(text) {
		return false, false
	}
	for _, version := range versions {
		valid = valid || version.Validate(value) == nil
	}
	return valid, true
}

// repeats reports whether an object has a name twice: more tokens come in the text than
// are left in the value that was read.
func repeats(text []byte) bool {
	count := func(text []byte) (n int) {
		for dec := json.NewDecoder(bytes.NewReader(text)); ; n++ {
			if _, err := dec.Token(); err != nil {
				return n
			}
		}
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&value) != nil {
		return false
	}
	again, err := json.Marshal(value)
	return err == nil && count(text) != count(again)
}

// answer is what the generated decoder says.
type answer struct{ Code, Pointer string }

// interview builds one program of all the generated packages and runs it on the questions.
func interview(t *testing.T, dirs []string, questions []asked) []answer {
	t.Helper()
	module := newModule(t)
	var imports, table strings.Builder
	for i, dir := range dirs {
		pkg := fmt.Sprintf("golden%d", i)
		files := accepted(t, dir, pkg)
		require.NoError(t, os.Mkdir(filepath.Join(module, pkg), 0o755))
		name := "ThingV1"
		for file, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(module, pkg, file), text, 0o644))
			if file == "thing_gen.go" && bytes.Contains(text, []byte("func DecodeThing(")) {
				name = "Thing"
			}
		}
		fmt.Fprintf(&imports, "\t%q\n", "probe/"+pkg)
		fmt.Fprintf(&table, "\tdecode(%s.Decode%s, %s.Decode%sFile),\n", pkg, name, pkg, name)
	}
	program, err := os.ReadFile("testdata/ask.go.txt")
	require.NoError(t, err)
	text := strings.NewReplacer("\t// imports\n", imports.String(), "\t// decoders\n", table.String()).Replace(string(program))
	require.NoError(t, os.WriteFile(filepath.Join(module, "main.go"), []byte(text), 0o644))
	out, err := goCommand(t, module, "vet", "-mod=mod", "./...").CombinedOutput()
	require.NoError(t, err, "%s", out)

	input, err := json.Marshal(questions)
	require.NoError(t, err)
	cmd := goCommand(t, module, "run", "-mod=mod", ".")
	cmd.Stdin = bytes.NewReader(input)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err = cmd.Output()
	require.NoError(t, err, "%s", &problem)
	var answers []answer
	require.NoError(t, json.Unmarshal(out, &answers))
	return answers
}
