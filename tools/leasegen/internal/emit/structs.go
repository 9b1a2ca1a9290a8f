package emit

import (
	"fmt"
	"strings"

	"containlease/tools/leasegen/internal/ir"
)

func (e *emitter) structs() error {
	for _, s := range e.pkg.Structs {
		f := &file{}
		e.declare(f, s)
		for _, field := range s.Fields {
			if field.Kind == ir.KindTag {
				e.enum(f, field.Enum)
			}
		}
		e.shape(f, s, s.Name)
		e.scan(f, s, s.Name)
		e.appendMethod(f, s)
		if !e.isDocument(s) {
			e.validatePart(f, s)
		}
		if err := e.write(strings.ToLower(s.Name), s.Origins, f); err != nil {
			return err
		}
	}
	return nil
}

// isDocument reports whether a definition is a document of its own, too.
func (e *emitter) isDocument(s *ir.Struct) bool {
	for _, family := range e.pkg.Families {
		if family.Widest == s {
			return true
		}
	}
	return false
}

// declare prints the type.
func (e *emitter) declare(f *file, s *ir.Struct) {
	f.comment("", fmt.Sprintf("%s is %s. %s", s.Name, sentence(s.Title), firstParagraph(s.Doc)))
	f.p("type %s struct {", s.Name)
	for i := range s.Fields {
		field := &s.Fields[i]
		if typ := goType(s, field); typ != "" {
			if doc := strings.TrimSpace(field.Doc + " " + presence(s, field)); doc != "" {
				f.comment("\t", doc)
			}
			f.p("\t%s %s", field.Go, typ)
		}
	}
	f.p("}\n")
}

// presence says with which words of the tag a member of a union goes.
func presence(s *ir.Struct, field *ir.Field) string {
	if !s.Union() || field.Kind == ir.KindTag {
		return ""
	}
	var with, maybe []string
	for i, word := range s.Words() {
		switch {
		case s.Tags[i]&field.NullIn != 0:
			maybe = append(maybe, word)
		case s.Tags[i]&field.ValueIn != 0:
			with = append(with, word)
		}
	}
	doc := ""
	if len(with) > 0 {
		doc += " Goes with " + strings.Join(with, ", ") + "."
	}
	if len(maybe) > 0 {
		doc += " May be nil with " + strings.Join(maybe, ", ") + "."
	}
	return doc + " Else zero."
}

// sentence makes a title the end of "X is ...": schemas of documents have titles
// like headings.
func sentence(title string) string {
	if first := title[:1]; first == strings.ToUpper(first) {
		return "the document " + fmt.Sprintf("%q", title)
	}
	return title
}

func firstParagraph(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	return first
}

// goType returns the Go type of a field, or nothing for a constant.
func goType(s *ir.Struct, f *ir.Field) string {
	pointer := ""
	if f.Nullable || s.Pointer(f) {
		pointer = "*"
	}
	switch f.Kind {
	case ir.KindText:
		return pointer + "string"
	case ir.KindInt:
		return pointer + "int64"
	case ir.KindBool:
		return "bool"
	case ir.KindEnum, ir.KindTag:
		return f.Enum.Name
	case ir.KindStruct:
		return pointer + f.Struct.Name
	}
	return ""
}

// shape prints the names of the members and which variant has which.
func (e *emitter) shape(f *file, s *ir.Struct, name string) {
	f.p("var shape%s = wire.Shape{", name)
	f.p("Keys: []string{")
	for _, field := range s.Fields {
		f.p("%q,", field.JSON)
	}
	f.p("},\nHas: []uint32{%s},\n}\n", masks(s.Has))
	for _, field := range s.Fields {
		if field.Kind == ir.KindTag {
			f.p("var variants%s = []uint32{%s}\n", field.Enum.Name, masks(s.Tags))
		}
	}
}

func masks(sets []uint32) string {
	var parts []string
	for _, set := range sets {
		parts = append(parts, fmt.Sprintf("%#b", set))
	}
	return strings.Join(parts, ", ")
}

// validatePart prints Validate for a struct that is no document: through the same
// code as its document, so that there is one rule.
func (e *emitter) validatePart(f *file, s *ir.Struct) {
	f.p("// Validate returns a *DecodeError if the value could not stand in a document.")
	f.p("func (v *%s) Validate() error {", s.Name)
	rooms := e.rooms(s)
	if len(rooms) > 0 {
		f.p("var room struct { v %s; %s }", s.Name, roomFields(rooms))
	} else {
		f.p("var room struct { v %s }", s.Name)
	}
	f.p("s := wire.Scan(v.append(nil), nil)")
	f.p("room.v.scan(&s%s)", roomArgs(rooms, "&room."))
	f.p("return s.Whole()\n}\n")
}

// room is memory for a struct that a field points to: the caller provides it, so
// that a whole document is one allocation.
type room struct{ name, typ string }

func (e *emitter) rooms(s *ir.Struct) []room {
	var rooms []room
	for i := range s.Fields {
		field := &s.Fields[i]
		if field.Kind != ir.KindStruct {
			continue
		}
		if s.Pointer(field) {
			rooms = append(rooms, room{lowerFirst(field.Go), field.Struct.Name})
		}
		rooms = append(rooms, e.rooms(field.Struct)...)
	}
	return rooms
}

func roomFields(rooms []room) string {
	var parts []string
	for _, r := range rooms {
		parts = append(parts, r.name+" "+r.typ)
	}
	return strings.Join(parts, "; ")
}

func roomParams(rooms []room) string {
	var b strings.Builder
	for _, r := range rooms {
		fmt.Fprintf(&b, ", %s *%s", r.name, r.typ)
	}
	return b.String()
}

func roomArgs(rooms []room, prefix string) string {
	var b strings.Builder
	for _, r := range rooms {
		fmt.Fprintf(&b, ", %s%s", prefix, r.name)
	}
	return b.String()
}
