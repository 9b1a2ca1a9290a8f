package leasefile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"containlease/schema"
)

// member is one member of an object: the Go field that holds it, if one does, its name
// in JSON, and what its schema says beyond the Go type.
type member struct {
	field, name string
	rule        rule
}

type variant []member

// rule completes the schema that was reflected for a field; nil where there is no field.
type rule func(reflected *jsonschema.Schema) *jsonschema.Schema

func asReflected(s *jsonschema.Schema) *jsonschema.Schema { return s }

func pattern(expression string, most uint64) rule {
	return func(s *jsonschema.Schema) *jsonschema.Schema {
		s.Pattern = expression
		if most > 0 {
			s.MaxLength = &most
		}
		return s
	}
}

func within(low, high int64) rule {
	return func(s *jsonschema.Schema) *jsonschema.Schema {
		s.Minimum, s.Maximum = json.Number(fmt.Sprint(low)), json.Number(fmt.Sprint(high))
		return s
	}
}

func only(n int64) rule {
	return func(*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Const: n} }
}

func words(all ...any) rule {
	return func(s *jsonschema.Schema) *jsonschema.Schema {
		s.Enum = all
		return s
	}
}

func tag(all ...any) rule {
	return func(s *jsonschema.Schema) *jsonschema.Schema {
		if s.Type != "string" {
			panic("a tag that is no string")
		}
		if len(all) == 1 {
			return &jsonschema.Schema{Const: all[0]}
		}
		return &jsonschema.Schema{Enum: all}
	}
}

func nullable(r rule) rule {
	return func(s *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{OneOf: []*jsonschema.Schema{r(s), {Type: "null"}}}
	}
}

// mirror replaces the Go names of a reflected object by its members. A field that no
// variant has is a fault of the generated type.
func mirror(s *jsonschema.Schema, variants ...variant) {
	unused := map[string]bool{}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		unused[pair.Key] = true
	}
	var objects []*jsonschema.Schema
	for _, v := range variants {
		o := &jsonschema.Schema{Type: s.Type, Properties: jsonschema.NewProperties(), AdditionalProperties: s.AdditionalProperties}
		for _, m := range v {
			var own *jsonschema.Schema
			if m.field != "" {
				reflected, has := s.Properties.Get(m.field)
				if !has {
					panic("no field " + m.field)
				}
				clone := *reflected
				own = &clone
				delete(unused, m.field)
			}
			o.Properties.Set(m.name, m.rule(own))
			o.Required = append(o.Required, m.name)
		}
		objects = append(objects, o)
	}
	if len(unused) > 0 {
		panic(fmt.Sprint("fields without a member: ", unused))
	}
	*s = *objects[0]
	if len(objects) > 1 {
		*s = jsonschema.Schema{OneOf: objects}
	}
}

// TestRoundTrip reflects every document's Go type, and compares the result with the
// schema that the type was generated from: all of it but words for people, with
// references followed.
func TestRoundTrip(t *testing.T) {
	require.NotEmpty(t, roots)
	for name, document := range roots {
		text, ok := schema.Read(name)
		require.True(t, ok, name)
		r := jsonschema.Reflector{Anonymous: true, DoNotReference: true}
		reflected, err := json.Marshal(r.Reflect(document))
		require.NoError(t, err)
		want, got := plain(t, text), plain(t, reflected)
		require.Equal(t, want, got, name)
		require.Greater(t, strings.Count(want, "pattern")+strings.Count(want, "const"), 2)
	}
}

// plain writes a schema without annotations and references, sorted.
func plain(t *testing.T, text []byte) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var root map[string]any
	require.NoError(t, dec.Decode(&root))
	out, err := json.MarshalIndent(bare(root, root), "", " ")
	require.NoError(t, err)
	return string(out)
}

func bare(root map[string]any, s any) any {
	object, ok := s.(map[string]any)
	if !ok {
		return s
	}
	if ref, ok := object["$ref"].(string); ok {
		return bare(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")])
	}
	out := map[string]any{}
	for keyword, value := range object {
		switch keyword {
		case "title", "description", "$comment", "$id", "$schema", "$defs":
			continue
		case "properties":
			members := map[string]any{}
			for name, member := range value.(map[string]any) {
				members[name] = bare(root, member)
			}
			value = members
		case "oneOf":
			var all []any
			for _, one := range value.([]any) {
				all = append(all, bare(root, one))
			}
			value = all
		case "required":
			slices.SortFunc(value.([]any), func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		out[keyword] = value
	}
	return out
}
