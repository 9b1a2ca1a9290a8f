package source

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// gate walks a schema and checks that it uses only keywords that it knows.
type gate struct {
	schema   string
	keywords map[string]func(pointer string, value any) error
}

// checkKeywords lists the keywords that the generator enforces or that enforce
// nothing, and what kind of value each has. Everything else stops the generation.
func checkKeywords(schema string, tree any) error {
	g := &gate{schema: schema}
	g.keywords = map[string]func(string, any) error{
		"$schema": g.dialect, "$id": g.rootText, "$defs": g.rootSchemas, "$ref": g.text,
		"title": g.text, "description": g.text, "$comment": g.text,
		"type": g.text, "pattern": g.text, "const": g.scalar, "enum": g.scalars,
		"minimum": g.number, "maximum": g.number, "maxLength": g.count,
		"required": g.texts, "properties": g.schemas, "oneOf": g.schemaList,
		"additionalProperties": g.closed,
	}
	return g.subschema("", tree)
}

func (g *gate) fail(pointer, reason string) error { return &Error{g.schema, pointer, reason} }

func (g *gate) subschema(pointer string, value any) error {
	object, ok := value.(map[string]any)
	if !ok {
		return g.fail(pointer, "expected a schema that is an object")
	}
	for _, keyword := range slices.Sorted(maps.Keys(object)) {
		at := Join(pointer, keyword)
		check, known := g.keywords[keyword]
		if !known {
			return g.fail(at, g.unknown(keyword))
		}
		if err := check(at, object[keyword]); err != nil {
			return err
		}
	}
	return nil
}

func (g *gate) unknown(keyword string) string {
	for known := range g.keywords {
		if strings.EqualFold(known, keyword) {
			return "keywords are matched in their exact case: " + known
		}
	}
	return "the generator does not enforce this keyword, so it must not be there"
}

func (g *gate) text(pointer string, value any) error {
	if _, ok := value.(string); !ok {
		return g.fail(pointer, "expected one string")
	}
	return nil
}

func (g *gate) rootText(pointer string, value any) error {
	if strings.Count(pointer, "/") != 1 {
		return g.fail(pointer, "this keyword belongs at the root")
	}
	return g.text(pointer, value)
}

// draft is the only dialect whose keywords mean what the generator takes them for.
const draft = "https://json-schema.org/draft/2020-12/schema"

func (g *gate) dialect(pointer string, value any) error {
	if value != draft {
		return g.fail(pointer, "the generator knows draft 2020-12 only: "+draft)
	}
	return g.rootText(pointer, value)
}

func (g *gate) count(pointer string, value any) error {
	number, _ := value.(json.Number)
	if n, err := number.Int64(); err != nil || n < 0 {
		return g.fail(pointer, "expected a number of characters")
	}
	return nil
}

func (g *gate) number(pointer string, value any) error {
	if _, ok := value.(json.Number); !ok {
		return g.fail(pointer, "expected a number")
	}
	return nil
}

func (g *gate) scalar(pointer string, value any) error {
	switch value := value.(type) {
	case string:
		return nil
	case json.Number:
		if _, err := value.Float64(); err != nil {
			return g.fail(pointer, "the number is beyond what a double holds")
		}
		return nil
	}
	return g.fail(pointer, "expected a string or a number")
}

func (g *gate) closed(pointer string, value any) error {
	if value != false {
		return g.fail(pointer, "expected false: an object has no members that the schema does not name")
	}
	return nil
}

// each checks every element of a list.
func (g *gate) each(pointer string, value any, check func(string, any) error) error {
	list, ok := value.([]any)
	if !ok {
		return g.fail(pointer, "expected a list")
	}
	for i, element := range list {
		if err := check(Join(pointer, index(i)), element); err != nil {
			return err
		}
	}
	return nil
}

func (g *gate) texts(pointer string, value any) error   { return g.each(pointer, value, g.text) }
func (g *gate) scalars(pointer string, value any) error { return g.each(pointer, value, g.scalar) }
func (g *gate) schemaList(pointer string, value any) error {
	return g.each(pointer, value, g.subschema)
}

// schemas checks an object whose members are schemas, under names that are free.
func (g *gate) schemas(pointer string, value any) error {
	object, ok := value.(map[string]any)
	if !ok {
		return g.fail(pointer, "expected an object")
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := g.subschema(Join(pointer, name), object[name]); err != nil {
			return err
		}
	}
	return nil
}

func (g *gate) rootSchemas(pointer string, value any) error {
	if pointer != "/$defs" {
		return g.fail(pointer, "this keyword belongs at the root")
	}
	return g.schemas(pointer, value)
}
