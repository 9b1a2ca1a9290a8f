package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// fate is what the generator does with a keyword.
type fate int

const (
	refused    fate = iota // testdata/refused/keyword-NAME shows the refusal at its pointer
	enforced               // testdata/accepted/keyword-NAME shows what it lets through and what not
	annotation             // it decides nothing; testdata/accepted/annotations has it
)

// keywords are all keywords of the vocabularies of draft 2020-12, and what becomes of them.
var keywords = map[string]map[string]fate{
	"meta/core": {"$id": annotation, "$schema": annotation, "$comment": annotation, "$ref": enforced, "$defs": enforced,
		"$anchor": refused, "$dynamicRef": refused, "$dynamicAnchor": refused, "$vocabulary": refused},
	"meta/applicator": {"properties": enforced, "additionalProperties": enforced, "oneOf": enforced,
		"prefixItems": refused, "items": refused, "contains": refused, "patternProperties": refused, "dependentSchemas": refused, "propertyNames": refused,
		"if": refused, "then": refused, "else": refused, "allOf": refused, "anyOf": refused, "not": refused},
	"meta/unevaluated": {"unevaluatedItems": refused, "unevaluatedProperties": refused},
	"meta/validation": {"type": enforced, "const": enforced, "enum": enforced, "maximum": enforced, "minimum": enforced, "maxLength": enforced, "pattern": enforced, "required": enforced,
		"multipleOf": refused, "exclusiveMaximum": refused, "exclusiveMinimum": refused, "minLength": refused, "maxItems": refused, "minItems": refused, "uniqueItems": refused,
		"maxContains": refused, "minContains": refused, "maxProperties": refused, "minProperties": refused, "dependentRequired": refused},
	"meta/meta-data": {"title": annotation, "description": annotation, "default": refused, "deprecated": refused, "readOnly": refused, "writeOnly": refused, "examples": refused},
	// The schema of the draft itself has these too, from earlier drafts.
	"schema":                 {"definitions": refused, "dependencies": refused, "$recursiveAnchor": refused, "$recursiveRef": refused},
	"meta/format-annotation": {"format": refused},
	"meta/content":           {"contentEncoding": refused, "contentMediaType": refused, "contentSchema": refused},
}

// TestKeywordsAreAll compares the list with the meta-schemas that an independent
// validator carries.
func TestKeywordsAreAll(t *testing.T) {
	for vocabulary, known := range keywords {
		compiled, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/" + vocabulary)
		require.NoError(t, err)
		require.ElementsMatch(t, slices.Collect(maps.Keys(compiled.Properties)), slices.Collect(maps.Keys(known)), vocabulary)
	}
}

// TestEveryKeyword shows that each keyword is enforced, decides nothing, or stops the
// generation where it stands.
func TestEveryKeyword(t *testing.T) {
	for _, vocabulary := range keywords {
		for keyword, fate := range vocabulary {
			name := "keyword-" + strings.ToLower(strings.TrimPrefix(keyword, "$"))
			switch fate {
			case refused:
				require.True(t, uses(t, "testdata/refused/"+name, keyword), keyword)
				text, err := os.ReadFile("testdata/refused/" + name + "/refusal.txt")
				require.NoError(t, err)
				require.Contains(t, string(text), "/"+keyword+": ", "the refusal must point at the keyword")
			case enforced:
				dir := "testdata/accepted/" + name
				require.True(t, uses(t, dir, keyword), keyword)
				right, wrong := 0, 0
				for _, row := range instances(t, dir) {
					if row.Code == "" {
						right++
					} else {
						wrong++
					}
				}
				require.Positive(t, right, keyword)
				require.Positive(t, wrong, keyword)
			case annotation:
				require.True(t, uses(t, "testdata/accepted/annotations", keyword), keyword)
			}
		}
	}
}

// uses reports whether the schema in dir has the keyword, spelled exactly so, anywhere.
func uses(t *testing.T, dir, keyword string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "thing-v1.schema.json"))
	require.NoError(t, err)
	var found func(value any) bool
	found = func(value any) bool {
		switch value := value.(type) {
		case map[string]any:
			_, has := value[keyword]
			return has || slices.ContainsFunc(slices.Collect(maps.Values(value)), found)
		case []any:
			return slices.ContainsFunc(value, found)
		}
		return false
	}
	var root any
	require.NoError(t, json.NewDecoder(bytes.NewReader(text)).Decode(&root))
	return found(root)
}
