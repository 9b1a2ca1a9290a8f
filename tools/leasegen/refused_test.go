package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/tools/leasegen/internal/ir"
	"containlease/tools/leasegen/internal/source"
)

// build takes schemas through the gate and into the typed form.
func build(texts map[string]string, order ...string) (*ir.Package, error) {
	var schemas []*source.Schema
	for _, name := range order {
		schema, err := source.Load(name, []byte(texts[name]))
		if err != nil {
			return nil, err
		}
		schemas = append(schemas, schema)
	}
	return ir.Build(schemas)
}

// TestRefused walks testdata/refused: each folder is a schema with one thing wrong, and
// refusal.txt is what the generator has to say about it, with the JSON pointer first.
func TestRefused(t *testing.T) {
	dirs, err := filepath.Glob("testdata/refused/*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, "thing-v1.schema.json"))
			require.NoError(t, err)
			_, err = build(map[string]string{"thing-v1": string(text)}, "thing-v1")
			require.Error(t, err)
			var refusal *source.Error
			require.ErrorAs(t, err, &refusal)
			got := refusal.Error() + "\n"
			golden := filepath.Join(dir, "refusal.txt")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// TestNotOneSchema refuses what is no JSON value, or not exactly one.
func TestNotOneSchema(t *testing.T) {
	for text, want := range map[string]string{
		``:                          "the whole schema: it is not JSON",
		`{`:                         "the whole schema: it is not JSON",
		`{"title":"a"} {}`:          "something follows the schema",
		`{"title":"a","title":"a"}`: "/title: the name stands here twice",
		`{"properties":{"a":{"type":"x","type":"y"}}}`: "/properties/a/type: the name stands here twice",
		`{"title":"a","t\u0069tle":"a"}`:               "/title: the name stands here twice",
		`{"properties":{"a/b~c":{"x":1}}}`:             "/properties/a~1b~0c/x: ",
		`[]`:                                           "the whole schema: expected a schema that is an object",
		`{"oneOf":[{"title":1}]}`:                      "/oneOf/0/title: expected one string",
		`{"minimum":"1"}`:                              "/minimum: expected a number",
		`{"required":"a"}`:                             "/required: expected a list",
	} {
		_, err := source.Load("thing-v1", []byte(text))
		require.Error(t, err, text)
		require.Contains(t, err.Error(), want, text)
	}
}

func version(n, members string, required string, defs string) string {
	return `{"title":"Thing","type":"object","additionalProperties":false,"required":["schemaVersion"` + required +
		`],"properties":{"schemaVersion":{"const":` + n + `}` + members + `},"$defs":{` + defs + `}}`
}

const (
	word    = `"word":{"title":"a word","type":"string","pattern":"^[a-z]{1,9}$"}`
	longer  = `"word":{"title":"a word","type":"string","pattern":"^[a-z]{1,10}$"}`
	member  = `,"member":{"$ref":"#/$defs/word"}`
	another = `,"another":{"$ref":"#/$defs/word"}`
)

// TestSchemasTogether: what several schemas say about the same must agree.
func TestSchemasTogether(t *testing.T) {
	first := version("1", member, `,"member"`, word)
	for want, second := range map[string]string{
		"": version("2", member+another, `,"member","another"`, word),
		"thing-v2.schema.json: /$defs/word: it says something else than in thing-v1": version("2", member, `,"member"`, longer),
		"thing-v2.schema.json: the whole schema: it lacks the member member":         version("2", another, `,"another"`, word),
	} {
		_, err := build(map[string]string{"thing-v1": first, "thing-v2": second}, "thing-v1", "thing-v2")
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	_, err := build(map[string]string{"thing-v2": version("2", member, `,"member"`, word)}, "thing-v2")
	require.ErrorContains(t, err, "version 2 comes where version 1 was expected")
	_, err = build(map[string]string{"thing": first}, "thing")
	require.ErrorContains(t, err, "<document>-v<version>")
}
