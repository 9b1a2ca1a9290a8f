package emit

import (
	"fmt"
	"strings"

	"containlease/tools/leasegen/internal/ir"
)

// texts prints one file for each pattern: its description and its automaton.
func (e *emitter) texts() error {
	for _, t := range e.pkg.Texts {
		f := &file{}
		f.p("// text%s is %s.", t.Name, t.Title)
		f.p("var text%s = wire.Text{Match: match%s, Max: %d, Free: %t, Expect: %q}\n", t.Name, t.Name, t.Max, t.Free, t.Title)
		e.automaton(f, t)
		if err := e.write("match_"+strings.ToLower(t.Name), t.Origins, f); err != nil {
			return err
		}
	}
	return nil
}

// ints prints all integers into one file: they are one line each.
func (e *emitter) ints() error {
	if len(e.pkg.Ints) == 0 {
		return nil
	}
	f := &file{}
	for _, i := range e.pkg.Ints {
		f.p("// int%s is %s.", i.Name, i.Title)
		f.p("var int%s = wire.Int{Min: %d, Max: %d, Expect: %q}\n", i.Name, i.Min, i.Max, i.Title)
	}
	return e.write("integers", e.allOrigins(), f)
}

func (e *emitter) enums() error {
	tags := map[*ir.Enum]bool{}
	for _, s := range e.pkg.Structs {
		for _, field := range s.Fields {
			if field.Kind == ir.KindTag {
				tags[field.Enum] = true
			}
		}
	}
	for _, enum := range e.pkg.Enums {
		if tags[enum] {
			continue // printed with its union
		}
		f := &file{}
		e.enum(f, enum)
		if err := e.write(strings.ToLower(enum.Name), enum.Origins, f); err != nil {
			return err
		}
	}
	return nil
}

// enum prints a string type with its constants and the list of them.
func (e *emitter) enum(f *file, enum *ir.Enum) {
	f.comment("", fmt.Sprintf("%s is %s. %s", enum.Name, enum.Title, enum.Doc))
	f.p("type %s string\n", enum.Name)
	f.p("// The values of %s.", enum.Name)
	f.p("const (")
	for _, word := range enum.Words {
		f.p("%s%s %s = %q", enum.Name, ir.GoName(word), enum.Name, word)
	}
	f.p(")\n")
	plural := plural(enum.Name)
	f.p("// %s lists every %s.", plural, enum.Name)
	f.p("var %s = [...]%s{", plural, enum.Name)
	for _, word := range enum.Words {
		f.p("%s%s,", enum.Name, ir.GoName(word))
	}
	f.p("}\n")
	f.p("var words%s = wire.Vocabulary{Expect: %q, Words: []string{", enum.Name, enum.Title)
	for _, word := range enum.Words {
		f.p("%q,", word)
	}
	f.p("}}\n")
}

func plural(name string) string {
	if strings.HasSuffix(name, "s") {
		return name + "es"
	}
	return name + "s"
}
