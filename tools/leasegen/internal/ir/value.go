package ir

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/invopop/jsonschema"

	"containlease/tools/leasegen/internal/automaton"
	"containlease/tools/leasegen/internal/source"
)

// value builds what a schema describes; name is that of the definition, or empty
// for a schema that stands where it is used.
func (b *builder) value(pointer, name string, m *jsonschema.Schema) (Value, error) {
	switch {
	case m.Ref != "":
		if err := b.only(pointer, m, "$ref"); err != nil {
			return Value{}, err
		}
		return b.resolve(source.Join(pointer, "$ref"), m.Ref)
	case m.OneOf != nil:
		if err := b.only(pointer, m, "oneOf"); err != nil {
			return Value{}, err
		}
		return b.oneOf(pointer, name, m)
	case m.Const != nil:
		return b.constant(pointer, m)
	case m.Type == "boolean":
		return Value{Kind: KindBool}, b.only(pointer, m, "type")
	case name == "":
		return Value{}, b.fail(pointer, "give it a place in $defs: its name there becomes its Go name")
	case m.Type == "string" && m.Enum != nil:
		return b.enum(pointer, name, m)
	case m.Type == "string":
		return b.text(pointer, name, m)
	case m.Type == "integer":
		return b.integer(pointer, name, m)
	case m.Type == "object":
		s, err := b.object(pointer, GoName(name), m)
		return Value{Kind: KindStruct, Struct: s}, err
	}
	return Value{}, b.fail(pointer, "no Go type for it: the types are string, integer, boolean and object")
}

// only refuses keywords beside the given ones that would go unenforced.
func (b *builder) only(pointer string, m *jsonschema.Schema, allowed ...string) error {
	used := map[string]bool{
		"$ref": m.Ref != "", "oneOf": m.OneOf != nil, "type": m.Type != "", "const": m.Const != nil,
		"enum": m.Enum != nil, "pattern": m.Pattern != "", "maxLength": m.MaxLength != nil,
		"minimum": m.Minimum != "", "maximum": m.Maximum != "", "required": m.Required != nil,
		"properties": m.Properties != nil, "additionalProperties": m.AdditionalProperties != nil,
	}
	for _, keyword := range allowed {
		delete(used, keyword)
	}
	for _, keyword := range sortedKeys(used) {
		if used[keyword] {
			return b.fail(source.Join(pointer, keyword), "this keyword does not go with %s", allowed[0])
		}
	}
	return nil
}

func (b *builder) title(pointer string, m *jsonschema.Schema) error {
	if m.Title == "" {
		return b.fail(pointer, "give it a title: error messages say \"expected <title>\"")
	}
	return nil
}

func (b *builder) text(pointer, name string, m *jsonschema.Schema) (Value, error) {
	if err := b.only(pointer, m, "type", "pattern", "maxLength"); err != nil {
		return Value{}, err
	}
	if err := b.title(pointer, m); err != nil {
		return Value{}, err
	}
	if m.Pattern == "" {
		return Value{}, b.fail(pointer, "a string needs a pattern")
	}
	dfa, err := automaton.Compile(m.Pattern)
	if err != nil {
		return Value{}, b.fail(source.Join(pointer, "pattern"), "%v", err)
	}
	longest, bounded := dfa.Longest()
	if m.MaxLength != nil && (!bounded || int(*m.MaxLength) < longest) {
		longest, bounded = int(*m.MaxLength), true
	}
	if !bounded || longest < 1 {
		return Value{}, b.fail(pointer, "a string needs a largest length: add maxLength")
	}
	if dfa.Accept[0] {
		return Value{}, b.fail(source.Join(pointer, "pattern"), "it matches the empty string, which stands for no value in Go")
	}
	t := &Text{Name: GoName(name), Title: m.Title, Pattern: m.Pattern, DFA: dfa, Max: longest, Free: dfa.Free(), Origins: []Origin{b.origin()}}
	b.pkg.Texts = append(b.pkg.Texts, t)
	return Value{Kind: KindText, Text: t}, nil
}

// maxInteger is the largest integer that a double holds without doubt.
const maxInteger = 1<<53 - 1

func (b *builder) integer(pointer, name string, m *jsonschema.Schema) (Value, error) {
	if err := b.only(pointer, m, "type", "minimum", "maximum"); err != nil {
		return Value{}, err
	}
	if err := b.title(pointer, m); err != nil {
		return Value{}, err
	}
	low, errLow := strconv.ParseInt(string(m.Minimum), 10, 64)
	high, errHigh := strconv.ParseInt(string(m.Maximum), 10, 64)
	if errLow != nil || errHigh != nil || low < 1 || high < low || high > maxInteger {
		return Value{}, b.fail(pointer, "an integer needs minimum and maximum, within 1 and %d", int64(maxInteger))
	}
	i := &Int{Name: GoName(name), Title: m.Title, Min: low, Max: high, Origins: []Origin{b.origin()}}
	b.pkg.Ints = append(b.pkg.Ints, i)
	return Value{Kind: KindInt, Int: i}, nil
}

// constant builds an integer constant: no Go field, since there is nothing to know.
func (b *builder) constant(pointer string, m *jsonschema.Schema) (Value, error) {
	if err := b.only(pointer, m, "const"); err != nil {
		return Value{}, err
	}
	// The gate compared the number's spelling, so a float64 that is whole is exact.
	n, ok := m.Const.(float64)
	if !ok || n != float64(int64(n)) || n < 1 || n > maxInteger {
		return Value{}, b.fail(source.Join(pointer, "const"), "a constant is an integer from 1, or a string that tells the variants of a union apart")
	}
	i := &Int{Min: int64(n), Max: int64(n)}
	return Value{Kind: KindConst, Int: i}, nil
}

func (b *builder) enum(pointer, name string, m *jsonschema.Schema) (Value, error) {
	if err := b.only(pointer, m, "type", "enum"); err != nil {
		return Value{}, err
	}
	if err := b.title(pointer, m); err != nil {
		return Value{}, err
	}
	e := &Enum{Name: GoName(name), Title: m.Title, Doc: m.Description, Origins: []Origin{b.origin()}}
	return Value{Kind: KindEnum, Enum: e}, b.addWords(source.Join(pointer, "enum"), e, m.Enum)
}

// addWords fills an enum and adds it to the package.
func (b *builder) addWords(pointer string, e *Enum, values []any) error {
	names := map[string]bool{}
	for _, value := range values {
		word, ok := value.(string)
		if !ok || GoName(word) == "" || names[GoName(word)] || len(e.Words) == 32 {
			return b.fail(pointer, "%v cannot be a word of an enum: up to 32 strings with different Go names", value)
		}
		names[GoName(word)] = true
		e.Words = append(e.Words, word)
	}
	b.pkg.Enums = append(b.pkg.Enums, e)
	return nil
}

// same compares two models by their JSON.
func same(a, b *jsonschema.Schema) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}
