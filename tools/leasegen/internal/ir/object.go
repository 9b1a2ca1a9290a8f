package ir

import (
	"maps"
	"slices"
	"strconv"

	"github.com/invopop/jsonschema"

	"containlease/tools/leasegen/internal/source"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// properties returns an object's members by name, after checking that the object
// is closed and requires all of them: a member that may be missing has no place in
// a flat Go struct whose zero values mean something.
func (b *builder) properties(pointer string, m *jsonschema.Schema) (map[string]*jsonschema.Schema, error) {
	if err := b.only(pointer, m, "type", "properties", "required", "additionalProperties"); err != nil {
		return nil, err
	}
	if m.Type != "object" {
		return nil, b.fail(pointer, "expected type object")
	}
	if m.AdditionalProperties == nil {
		return nil, b.fail(pointer, "an object needs additionalProperties: false")
	}
	members := map[string]*jsonschema.Schema{}
	if m.Properties != nil {
		for pair := m.Properties.Oldest(); pair != nil; pair = pair.Next() {
			members[pair.Key] = pair.Value
		}
	}
	names := sortedKeys(members)
	required := slices.Sorted(slices.Values(m.Required))
	if !slices.Equal(names, required) {
		return nil, b.fail(source.Join(pointer, "required"), "it must list every member once: %v", names)
	}
	if len(names) == 0 || len(names) > 32 {
		return nil, b.fail(pointer, "an object has 1 to 32 members")
	}
	if err := checkOrder(names); err != nil {
		return nil, b.fail(source.Join(pointer, "properties"), "%v", err)
	}
	return members, nil
}

// object builds a struct with one variant.
func (b *builder) object(pointer, name string, m *jsonschema.Schema) (*Struct, error) {
	members, err := b.properties(pointer, m)
	if err != nil {
		return nil, err
	}
	s := &Struct{Name: name, Title: m.Title, Doc: m.Description, Has: []uint32{1<<len(members) - 1}, Origins: []Origin{b.origin()}}
	for _, key := range sortedKeys(members) {
		at := source.Join(source.Join(pointer, "properties"), key)
		value, err := b.value(at, "", members[key])
		if err != nil {
			return nil, err
		}
		f := Field{JSON: key, Go: GoName(key), Doc: members[key].Description, Value: value, ValueIn: 1}
		if value.Nullable {
			f.NullIn = 1
		}
		s.Fields = append(s.Fields, f)
	}
	return s, b.add(pointer, s)
}

// add puts a struct into the package, unless it is a document.
func (b *builder) add(pointer string, s *Struct) error {
	if pointer == "" {
		return nil
	}
	if s.Title == "" {
		return b.fail(pointer, "give it a title: it becomes the type's comment")
	}
	b.pkg.Structs = append(b.pkg.Structs, s)
	return nil
}

// eachRef calls visit for every $ref below m.
func eachRef(pointer string, m *jsonschema.Schema, visit func(pointer, ref string) error) error {
	if m.Ref != "" {
		return visit(pointer, m.Ref)
	}
	for i, one := range m.OneOf {
		if err := eachRef(source.Join(source.Join(pointer, "oneOf"), strconv.Itoa(i)), one, visit); err != nil {
			return err
		}
	}
	if m.Properties == nil {
		return nil
	}
	for pair := m.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if err := eachRef(source.Join(source.Join(pointer, "properties"), pair.Key), pair.Value, visit); err != nil {
			return err
		}
	}
	return nil
}
