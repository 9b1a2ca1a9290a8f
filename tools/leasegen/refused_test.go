package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
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

// TestRefused walks testdata/refused: each file is a schema with one thing wrong, and
// its $comment says where and why the generation must stop.
func TestRefused(t *testing.T) {
	paths, err := filepath.Glob("testdata/refused/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var schema struct {
				Comment string `json:"$comment"`
			}
			require.NoError(t, json.Unmarshal(text, &schema))
			require.NotEmpty(t, schema.Comment)
			_, err = build(map[string]string{"thing-v1": string(text)}, "thing-v1")
			require.Error(t, err)
			require.Contains(t, err.Error(), "thing-v1.schema.json: "+schema.Comment)
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
