package emit

import "containlease/tools/leasegen/internal/ir"

// scan prints the method that reads the object. For a document it reads any of the
// versions, and returns which.
func (e *emitter) scan(f *file, s *ir.Struct, shape string) {
	versioned := false
	for _, field := range s.Fields {
		versioned = versioned || field.Kind == ir.KindVersion
	}
	result := ""
	if versioned {
		result = "int"
	}
	f.p("func (v *%s) scan(s *wire.Scanner%s) %s {", s.Name, roomParams(e.rooms(s)), result)
	f.p("o := wire.Begin(&shape%s)", shape)
	f.p("for s.Next(&o) {\nswitch o.Key {")
	for i := range s.Fields {
		f.p("case %d:", i)
		e.scanField(f, s, &s.Fields[i])
	}
	f.p("}\n}")
	if versioned {
		f.p("return o.Variant()")
	}
	f.p("}\n")
}

func (e *emitter) scanField(f *file, s *ir.Struct, field *ir.Field) {
	nullable := ""
	if field.Nullable {
		nullable = "Nullable"
	}
	switch field.Kind {
	case ir.KindText:
		f.p("v.%s = s.%sString(&text%s)", field.Go, nullable, field.Text.Name)
	case ir.KindInt:
		f.p("v.%s = s.%sInteger(&int%s)", field.Go, nullable, field.Int.Name)
	case ir.KindBool:
		f.p("v.%s = s.Boolean()", field.Go)
	case ir.KindEnum:
		f.p("v.%s = %s(s.Enum(&words%s))", field.Go, field.Enum.Name, field.Enum.Name)
	case ir.KindTag:
		f.p("v.%s = %s(s.Tag(&o, &words%s, variants%s))", field.Go, field.Enum.Name, field.Enum.Name, field.Enum.Name)
	case ir.KindConst:
		f.p("s.Constant(%d)", field.Int.Min)
	case ir.KindVersion:
		f.p("s.Version(&o)")
	case ir.KindStruct:
		e.scanStruct(f, s, field)
	}
}

func (e *emitter) scanStruct(f *file, s *ir.Struct, field *ir.Field) {
	rooms := roomArgs(e.rooms(field.Struct), "")
	if !s.Pointer(field) {
		f.p("v.%s.scan(s%s)", field.Go, rooms)
		return
	}
	name := lowerFirst(field.Go)
	if field.Nullable {
		f.p("if !s.NullIn(&o, %#b, %#b, %q) {", field.NullIn, field.ValueIn, field.Struct.Title)
	}
	f.p("v.%s = %s", field.Go, name)
	f.p("%s.scan(s%s)", name, rooms)
	if field.Nullable {
		f.p("}")
	}
}
