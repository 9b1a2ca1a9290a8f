package ir

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"containlease/tools/leasegen/internal/source"
)

// builder turns schemas into one Package. Definitions are shared: the same name
// must mean the same in every schema.
type builder struct {
	pkg    *Package
	schema *source.Schema
	defs   map[string]*definition
}

// definition is a $defs entry that was built already.
type definition struct {
	model *jsonschema.Schema
	first string // the schema it came from
	value Value
}

// Build turns schemas, in the order given, into a Package.
func Build(schemas []*source.Schema) (*Package, error) {
	b := &builder{pkg: &Package{}, defs: map[string]*definition{}}
	for _, schema := range schemas {
		b.schema = schema
		if err := b.document(); err != nil {
			return nil, err
		}
	}
	for _, family := range b.pkg.Families {
		if err := family.join(); err != nil {
			return nil, err
		}
	}
	return b.pkg, nil
}

func (b *builder) fail(pointer, format string, args ...any) error {
	return &source.Error{Schema: b.schema.Name, Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
}

func (b *builder) origin() Origin { return Origin{b.schema.Name, b.schema.SHA256} }

// resolve returns the value of a definition, building it when it is new.
func (b *builder) resolve(pointer, ref string) (Value, error) {
	name, local := strings.CutPrefix(ref, "#/$defs/")
	model, exists := b.schema.Root.Definitions[name]
	if !local || !exists {
		return Value{}, b.fail(pointer, "%s is not one of this schema's $defs", ref)
	}
	def := b.defs[name]
	if def == nil {
		def = &definition{model: model, first: b.schema.Name}
		b.defs[name] = def
		var err error
		if def.value, err = b.value("/$defs/"+name, name, model); err != nil {
			return Value{}, err
		}
		return def.value, nil
	}
	if def.value == (Value{}) {
		return Value{}, b.fail(pointer, "%s refers to itself: records have no depth of their own", ref)
	}
	if !same(def.model, model) {
		return Value{}, b.fail("/$defs/"+name, "it says something else than in %s; one name is one type", def.first)
	}
	return def.value, b.adopt(def.value, "/$defs/"+name, model)
}

// adopt notes that a known definition occurs in this schema too, and so do those
// that it refers to.
func (b *builder) adopt(v Value, pointer string, model *jsonschema.Schema) error {
	origins := v.origins()
	for _, origin := range *origins {
		if origin == b.origin() {
			return nil
		}
	}
	*origins = append(*origins, b.origin())
	return eachRef(pointer, model, func(at, ref string) error {
		_, err := b.resolve(at, ref)
		return err
	})
}

func (v Value) origins() *[]Origin {
	switch {
	case v.Text != nil:
		return &v.Text.Origins
	case v.Int != nil:
		return &v.Int.Origins
	case v.Enum != nil:
		return &v.Enum.Origins
	case v.Struct != nil:
		return &v.Struct.Origins
	}
	return new([]Origin)
}
