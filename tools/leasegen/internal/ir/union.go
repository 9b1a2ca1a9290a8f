package ir

import (
	"fmt"
	"strconv"

	"github.com/invopop/jsonschema"

	"containlease/tools/leasegen/internal/source"
)

// oneOf builds the two kinds of alternatives that there are: a value or null, and
// objects that a tag tells apart.
func (b *builder) oneOf(pointer, name string, m *jsonschema.Schema) (Value, error) {
	at := source.Join(pointer, "oneOf")
	if len(m.OneOf) == 2 && m.OneOf[1].Type == "null" {
		if err := b.only(source.Join(at, "1"), m.OneOf[1], "type"); err != nil {
			return Value{}, err
		}
		value, err := b.value(source.Join(at, "0"), "", m.OneOf[0])
		if err != nil {
			return Value{}, err
		}
		if k := value.Kind; value.Nullable || k != KindText && k != KindInt && k != KindStruct {
			return Value{}, b.fail(at, "only a string with a pattern, an integer or an object can be null instead")
		}
		value.Nullable = true
		return value, nil
	}
	if name == "" {
		return Value{}, b.fail(pointer, "give the union a place in $defs: its name there becomes its Go name")
	}
	s, err := b.union(at, GoName(name), m)
	return Value{Kind: KindStruct, Struct: s}, err
}

// variant is one alternative of a union.
type variant struct {
	pointer string
	members map[string]*jsonschema.Schema
}

// variantsOf returns the alternatives, and the names of all their members.
func (b *builder) variantsOf(at string, m *jsonschema.Schema) ([]variant, []string, error) {
	var variants []variant
	all := map[string]bool{}
	for i, one := range m.OneOf {
		v := variant{pointer: source.Join(at, strconv.Itoa(i))}
		var err error
		if v.members, err = b.properties(v.pointer, one); err != nil {
			return nil, nil, err
		}
		for key := range v.members {
			all[key] = true
		}
		variants = append(variants, v)
	}
	return variants, sortedKeys(all), nil
}

func (b *builder) union(at, name string, m *jsonschema.Schema) (*Struct, error) {
	variants, keys, err := b.variantsOf(at, m)
	if err != nil {
		return nil, err
	}
	if err := checkOrder(keys); err != nil {
		return nil, b.fail(at, "%v", err)
	}
	if len(keys) > 32 || len(variants) > 32 {
		return nil, b.fail(at, "a union has at most 32 variants and 32 members")
	}
	s := &Struct{Name: name, Title: m.Title, Doc: m.Description, Has: make([]uint32, len(variants)), Origins: []Origin{b.origin()}}
	tag, err := b.tagOf(at, keys, variants)
	if err != nil {
		return nil, err
	}
	for i, key := range keys {
		for v := range variants {
			if _, ok := variants[v].members[key]; ok {
				s.Has[v] |= 1 << i
			}
		}
		f := Field{JSON: key, Go: GoName(key)}
		if key == tag {
			err = b.tag(s, &f, variants)
		} else {
			err = b.member(&f, variants)
		}
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, f)
	}
	return s, b.add(at, s)
}

// tagOf finds the one member that every variant has with a const or an enum, and
// no word twice.
func (b *builder) tagOf(at string, keys []string, variants []variant) (string, error) {
	var tags []string
	for _, key := range keys {
		seen := map[string]bool{}
		tells := true
		for _, v := range variants {
			m, ok := v.members[key]
			words := []any{}
			if ok {
				words = wordsOf(m)
			}
			tells = tells && len(words) > 0
			for _, word := range words {
				text, isText := word.(string)
				tells = tells && isText && !seen[text]
				seen[text] = true
			}
		}
		if tells {
			tags = append(tags, key)
		}
	}
	if len(tags) != 1 {
		return "", b.fail(at, "exactly one member must tell the variants apart, by a const or an enum without a word in common; found %v", tags)
	}
	return tags[0], nil
}

func wordsOf(m *jsonschema.Schema) []any {
	if m.Const != nil {
		return []any{m.Const}
	}
	return m.Enum
}

// tag builds the member that tells the variants apart.
func (b *builder) tag(s *Struct, f *Field, variants []variant) error {
	e := &Enum{Name: s.Name + f.Go, Title: fmt.Sprintf("a %s", f.JSON), Doc: fmt.Sprintf("It tells the variants of %s apart.", s.Name), Origins: s.Origins}
	var words []any
	for v, one := range variants {
		m := one.members[f.JSON]
		at := source.Join(source.Join(one.pointer, "properties"), f.JSON)
		if err := b.only(at, m, "const", "enum", "type"); err != nil {
			return err
		}
		if m.Const != nil && m.Enum != nil || m.Type != "" && m.Type != "string" {
			return b.fail(at, "a tag is a const or an enum of strings")
		}
		for _, word := range wordsOf(m) {
			words = append(words, word)
			s.Tags = append(s.Tags, 1<<v)
		}
	}
	f.Doc, f.ValueIn = "It tells the variants apart.", 1<<len(variants)-1
	f.Value = Value{Kind: KindTag, Enum: e}
	return b.addWords(variants[0].pointer, e, words)
}

// member builds another member of a union: the same value in every variant that
// has it, except that it may be null in some.
func (b *builder) member(f *Field, variants []variant) error {
	for v, one := range variants {
		m, ok := one.members[f.JSON]
		if !ok {
			continue
		}
		at := source.Join(source.Join(one.pointer, "properties"), f.JSON)
		value, err := b.value(at, "", m)
		if err != nil {
			return err
		}
		if value.Nullable {
			f.NullIn |= 1 << v
		}
		nullable := value.Nullable || f.Nullable
		value.Nullable, f.Nullable = false, false
		if f.ValueIn != 0 && value != f.Value {
			return b.fail(at, "the member holds something else than in another variant")
		}
		if k := value.Kind; k != KindStruct && (nullable || k != KindText && k != KindInt) {
			return b.fail(at, "in a union, only an object may be null, and a missing member needs a zero value in Go that is not valid")
		}
		f.Value, f.ValueIn = value, f.ValueIn|1<<v
		f.Nullable = nullable
		if f.Doc == "" {
			f.Doc = m.Description
		}
	}
	return nil
}
