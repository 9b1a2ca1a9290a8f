package emit

import (
	"fmt"
	"strings"

	"containlease/tools/leasegen/internal/ir"
)

// appendMethod prints the canonical encoder of an object, without the final line
// feed.
func (e *emitter) appendMethod(f *file, s *ir.Struct) {
	if s.Union() {
		e.appendUnion(f, s)
		return
	}
	f.p("func (v *%s) append(dst []byte) []byte {", s.Name)
	pending := "{"
	flush := func() {
		f.p("dst = append(dst, %s...)", goString(pending))
		pending = ""
	}
	for i := range s.Fields {
		field := &s.Fields[i]
		if i > 0 {
			pending += ","
		}
		pending += `"` + field.JSON + `":`
		if field.Kind == ir.KindConst || field.Kind == ir.KindVersion {
			pending += fmt.Sprint(field.Int.Min)
			continue
		}
		flush()
		f.p("%s", e.appendValue(s, field))
	}
	pending += "}"
	f.p("return append(dst, %s...)\n}\n", goString(pending))
}

func goString(s string) string {
	if strings.Contains(s, "`") {
		return fmt.Sprintf("%q", s)
	}
	return "`" + s + "`"
}

// appendValue returns the statement that appends one field's value.
func (e *emitter) appendValue(s *ir.Struct, field *ir.Field) string {
	nullable := ""
	if field.Nullable {
		nullable = "Nullable"
	}
	switch field.Kind {
	case ir.KindText:
		return fmt.Sprintf("dst = wire.Append%sString(dst, v.%s)", nullable, field.Go)
	case ir.KindInt:
		return fmt.Sprintf("dst = wire.Append%sInt(dst, v.%s)", nullable, field.Go)
	case ir.KindBool:
		return fmt.Sprintf("dst = wire.AppendBool(dst, v.%s)", field.Go)
	case ir.KindEnum, ir.KindTag:
		return fmt.Sprintf("dst = wire.AppendString(dst, string(v.%s))", field.Go)
	}
	if s.Pointer(field) {
		return fmt.Sprintf("if v.%[1]s != nil {\ndst = v.%[1]s.append(dst)\n} else {\ndst = append(dst, \"null\"...)\n}", field.Go)
	}
	return fmt.Sprintf("dst = v.%s.append(dst)", field.Go)
}

// appendUnion prints the encoder of a union. A field that the variant does not have
// is written all the same when it is set: such a value is not valid, and leaving
// the field out would make it look as if it were.
func (e *emitter) appendUnion(f *file, s *ir.Struct) {
	var tag *ir.Field
	for i := range s.Fields {
		if s.Fields[i].Kind == ir.KindTag {
			tag = &s.Fields[i]
		}
	}
	f.p("// has returns the set of members that the variant has: bit i stands for Keys[i].")
	f.p("func (v *%s) has() uint32 {", s.Name)
	f.p("for i, word := range %s {\nif word == v.%s {\nreturn shape%s.Has[bits.TrailingZeros32(variants%s[i])]\n}\n}", plural(tag.Enum.Name), tag.Go, s.Name, tag.Enum.Name)
	f.p("return 0\n}\n")
	f.std = append(f.std, "math/bits")
	f.p("func (v *%s) append(dst []byte) []byte {", s.Name)
	f.p("has := v.has()")
	f.p("dst = append(dst, '{')")
	for i := range s.Fields {
		field := &s.Fields[i]
		always := field.Kind == ir.KindTag
		if !always {
			f.p("if has>>%d&1 == 1 || v.%s != %s {", i, field.Go, zero(s, field))
		}
		f.p("dst = wire.AppendKey(dst, %q)", field.JSON)
		f.p("%s", e.appendValue(s, field))
		if !always {
			f.p("}")
		}
	}
	f.p("return append(dst, '}')\n}\n")
}

func zero(s *ir.Struct, field *ir.Field) string {
	switch {
	case s.Pointer(field):
		return "nil"
	case field.Kind == ir.KindText:
		return `""`
	}
	return "0"
}
