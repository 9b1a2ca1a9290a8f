package emit

import (
	"fmt"
	"strings"

	"containlease/tools/leasegen/internal/ir"
)

// decode prints the decoders of a family.
func (e *emitter) decode(f *file, family *ir.Family, n names) {
	name := lowerFirst(ir.GoName(family.Name))
	rooms := e.rooms(family.Widest)
	f.p("// %sBox is everything that one document needs, in one allocation.", name)
	f.p("type %sBox struct {\nv %s", name, family.Widest.Name)
	for _, r := range rooms {
		f.p("%s %s", r.name, r.typ)
	}
	f.p("text [%d]byte\n}\n", textSize(family.Widest))

	f.p("func decode%s(b []byte) (v %s, canonical bool, err error) {", ir.GoName(family.Name), n.result)
	f.p("box := new(%sBox)\ns := wire.Scan(b, box.text[:0])", name)
	call := fmt.Sprintf("box.v.scan(&s%s)", roomArgs(rooms, "&box."))
	if family.Versioned && len(family.Versions) > 1 {
		call = "version := " + call
	}
	f.p("%s\nif err := s.Whole(); err != nil {", call)
	if family.Versioned {
		f.p("return nil, false, wire.Newer(err, b, %d)\n}", len(family.Versions))
	} else {
		f.p("return nil, false, err\n}")
	}
	for i, s := range family.Versions[:len(family.Versions)-1] {
		f.p("if version == %d {\nreturn &%s{%s}, s.Canonical(), nil\n}", i, s.Name, copied(s))
	}
	f.p("return &box.v, s.Canonical(), nil\n}\n")
	e.decoders(f, family, n)
}

// decoders prints the exported functions.
func (e *emitter) decoders(f *file, family *ir.Family, n names) {
	whole := ir.GoName(family.Name)
	f.p("// Decode%s reads a document in any spelling of JSON whose value the schema allows.", n.suffix)
	f.p("// It keeps nothing of b. Errors are *DecodeError.")
	f.p("func Decode%s(b []byte) (%s, error) {\nv, _, err := decode%s(b)\nreturn v, err\n}\n", n.suffix, n.result, whole)
	f.p("// Decode%sFile reads a file: at most wire.MaxFile bytes, in exactly the canonical", n.suffix)
	f.p("// rendering. Of a file that is not valid either, it reports that. It keeps nothing")
	f.p("// of b. Errors are *DecodeError.")
	f.p("func Decode%sFile(b []byte) (%s, error) {", n.suffix, n.result)
	f.p("if err := wire.CheckSize(b); err != nil {\nreturn nil, err\n}")
	f.p("v, canonical, err := decode%s(b)", whole)
	f.p("if err == nil && !canonical {\nerr = wire.CheckCanonical(b, v.AppendCanonical(nil))\n}")
	f.p("if err != nil {\nreturn nil, err\n}\nreturn v, nil\n}\n")
}

// exactly prints the decoders of one version: who writes a record knows which.
func (e *emitter) exactly(f *file, s *ir.Struct, n names, version int) {
	for _, level := range []string{"", "File"} {
		all := "Decode" + n.suffix + level
		f.p("// Decode%[1]s%[2]s is %[3]s for version %[4]d alone.", s.Name, level, all, version)
		f.p("func Decode%[1]s%[2]s(b []byte) (*%[1]s, error) {\nv, err := %[3]s(b)", s.Name, level, all)
		f.p("if v, ok := v.(*%s); ok {\nreturn v, nil\n}", s.Name)
		f.p("return nil, wire.Only(err, b, %d)\n}\n", version)
	}
}

// copied initializes an older version from the widest.
func copied(s *ir.Struct) string {
	var parts []string
	for i := range s.Fields {
		if goType(s, &s.Fields[i]) != "" {
			parts = append(parts, fmt.Sprintf("%[1]s: box.v.%[1]s", s.Fields[i].Go))
		}
	}
	return strings.Join(parts, ", ")
}

// The room for text in a document's one allocation: all of a short string, and of a
// long one what it usually needs. A string that finds no room gets its own memory,
// which costs less than having every document carry room that it never uses.
const (
	shortText = 64
	usualText = 32
)

func textSize(s *ir.Struct) int {
	size := 0
	for i := range s.Fields {
		field := &s.Fields[i]
		switch {
		case field.Kind == ir.KindText && field.Text.Max <= shortText:
			size += field.Text.Max
		case field.Kind == ir.KindText:
			size += usualText
		case field.Kind == ir.KindStruct:
			size += textSize(field.Struct)
		}
	}
	return size
}

// peek prints what a document of a later version still tells, and the rule that
// ties a document to the name of its file.
func (e *emitter) peek(f *file, family *ir.Family) error {
	outer := fieldOf(family.Widest, e.config.Outer)
	id := fieldOf(family.Widest, family.Name+"Id")
	if outer == nil || outer.Kind != ir.KindStruct || id == nil || id.Kind != ir.KindText {
		return fmt.Errorf("%s lacks the members that it is known by", family.Name)
	}
	inner := fieldOf(outer.Struct, e.config.Inner)
	if inner == nil || inner.Kind != ir.KindText {
		return fmt.Errorf("%s has no text %s", outer.JSON, e.config.Inner)
	}
	known := len(family.Versions)
	f.p("// Decode%sFileNamed is Decode%sFile for a file of that name, without its folder: where", "", "")
	f.p("// it is <uuid>.json, that must be %s.", id.Go)
	f.p("func DecodeFileNamed(name string, b []byte) (%s, error) {", ir.GoName(family.Name))
	accessor := ""
	for _, a := range e.config.Accessors {
		if a.JSON == id.JSON {
			accessor = a.Go
		}
	}
	f.p("v, err := DecodeFile(b)\nif err == nil {\nerr = wire.CheckName(name, &text%s, b, %q, v.%s())\n}", id.Text.Name, id.JSON, accessor)
	f.p("if err != nil {\nreturn nil, err\n}\nreturn v, nil\n}\n")
	f.comment("", fmt.Sprintf("%s returns what a document of a later version than %d still tells: /%s/%s, which keeps its place in all versions, and the version. ok is false for anything else than strict JSON with both. It keeps nothing of b.", e.config.Peek, known, outer.JSON, inner.JSON))
	f.p("func %s(b []byte) (%s string, version int64, ok bool) {", e.config.Peek, lowerFirst(inner.Go))
	f.p("top, member, ok := wire.Peek(b, %q, %q, %q)", ir.VersionKey, outer.JSON, inner.JSON)
	f.p("if !ok || top.Number <= %d || !text%s.Matches(member.Text) {\nreturn \"\", 0, false\n}", known, inner.Text.Name)
	f.p("return member.Text, top.Number, true\n}\n")
	return nil
}
