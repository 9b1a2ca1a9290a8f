package emit

import (
	"fmt"
	"strings"

	"containlease/tools/leasegen/internal/ir"
)

func (e *emitter) families() error {
	for _, family := range e.pkg.Families {
		n := e.names(family)
		f := &file{}
		if n.contract {
			if err := e.contract(f, family, n); err != nil {
				return err
			}
		}
		if family.Versioned {
			e.shape(f, family.All, family.Widest.Name)
			e.scan(f, family.All, family.Widest.Name)
		}
		e.decode(f, family, n)
		if n.principal {
			if err := e.peek(f, family); err != nil {
				return err
			}
		}
		if err := e.write(family.Name, family.Origins, f); err != nil {
			return err
		}
		if err := e.versions(family, n); err != nil {
			return err
		}
	}
	return nil
}

// names are the names of a family's functions.
type names struct {
	principal bool
	contract  bool   // several types behind one interface
	result    string // what the decoders return
	suffix    string // of Decode
	version   string // the method that returns the schemaVersion
}

func (e *emitter) names(family *ir.Family) names {
	name := ir.GoName(family.Name)
	switch {
	case family.Name == e.config.Principal:
		return names{principal: true, contract: true, result: name, version: versionMethod(family)}
	case len(family.Versions) > 1:
		return names{contract: true, result: name, suffix: name, version: versionMethod(family)}
	}
	return names{result: "*" + family.Widest.Name, suffix: name + "V1"}
}

// versionMethod is Version, unless a member of the document has that name.
func versionMethod(family *ir.Family) string {
	if fieldOf(family.Widest, "version") != nil {
		return ir.GoName(ir.VersionKey)
	}
	return "Version"
}

// accessors are the methods for the members that all versions have in common.
func (e *emitter) accessors(n names) []Accessor {
	if n.principal {
		return e.config.Accessors
	}
	return nil
}

// versions prints the types of a family, a file for each.
func (e *emitter) versions(family *ir.Family, n names) error {
	for i, s := range family.Versions {
		f := &file{}
		if family.Versioned {
			e.declare(f, s)
			e.appendMethod(f, s)
		}
		f.p("// AppendCanonical appends the canonical bytes, final line feed included. A value")
		f.p("// that is not valid gives bytes that no decoder accepts.")
		f.p("func (v *%s) AppendCanonical(dst []byte) []byte { return append(v.append(dst), '\\n') }\n", s.Name)
		f.p("// Validate returns a *DecodeError if the canonical bytes would be refused.")
		f.p("func (v *%s) Validate() error {", s.Name)
		f.p("_, err := Decode%sFile(v.AppendCanonical(nil))\nreturn err\n}\n", n.suffix)
		if n.contract && !n.principal {
			e.exactly(f, s, n, i+1)
		}
		if n.contract {
			f.p("// %s returns %d.", n.version, i+1)
			f.p("func (v *%s) %s() int { return %d }\n", s.Name, n.version, i+1)
			for _, a := range e.accessors(n) {
				field := fieldOf(s, a.JSON)
				f.p("// %s returns %s.", a.Go, field.Go)
				f.p("func (v *%s) %s() %s { return v.%s }\n", s.Name, a.Go, goType(s, field), field.Go)
			}
		}
		if err := e.write(versionFile(s, family), family.Origins[i:i+1], f); err != nil {
			return err
		}
	}
	return nil
}

func versionFile(s *ir.Struct, family *ir.Family) string {
	if family.Versioned {
		return strings.ToLower(s.Name)
	}
	return family.Name + "document"
}

func fieldOf(s *ir.Struct, key string) *ir.Field {
	for i := range s.Fields {
		if s.Fields[i].JSON == key {
			return &s.Fields[i]
		}
	}
	return nil
}

// contract prints the interface that all versions share.
func (e *emitter) contract(f *file, family *ir.Family, n names) error {
	if err := e.checkMethods(family, n); err != nil {
		return err
	}
	f.p("// %s is any version of the document: %s.", n.result, versionList(family))
	f.p("type %s interface {", n.result)
	f.p("// AppendCanonical appends the canonical bytes, final line feed included.")
	f.p("AppendCanonical(dst []byte) []byte")
	f.p("// Validate returns a *DecodeError if the canonical bytes would be refused.")
	f.p("Validate() error")
	f.p("// %s returns the schemaVersion.", n.version)
	f.p("%s() int", n.version)
	first := family.Versions[0]
	for _, a := range e.accessors(n) {
		field := fieldOf(first, a.JSON)
		f.comment("", fmt.Sprintf("%s returns %s. %s", a.Go, field.Go, field.Doc))
		f.p("%s() %s", a.Go, goType(first, field))
	}
	f.p("}\n")
	return nil
}

// checkMethods makes sure that no method has the name of a field, and that the
// principal document has an accessor for each member that all versions have, and for
// no other.
func (e *emitter) checkMethods(family *ir.Family, n names) error {
	methods := map[string]bool{n.version: true}
	covered := map[string]bool{}
	for _, a := range e.accessors(n) {
		methods[a.Go], covered[a.JSON] = true, true
	}
	for _, version := range family.Versions {
		for i := range version.Fields {
			if field := &version.Fields[i]; methods[field.Go] && goType(version, field) != "" {
				return fmt.Errorf("%s has a field %s, which is also a method of all versions", version.Name, field.Go)
			}
		}
	}
	first := family.Versions[0]
	for i := range first.Fields {
		key := first.Fields[i].JSON
		if n.principal && goType(first, &first.Fields[i]) != "" && !covered[key] {
			return fmt.Errorf("the member %s is common to all versions of %s: give it an accessor", key, family.Name)
		}
		delete(covered, key)
	}
	if len(covered) > 0 {
		return fmt.Errorf("accessors for members that not all versions of %s have: %v", family.Name, covered)
	}
	return nil
}

func versionList(family *ir.Family) string {
	var parts []string
	for _, s := range family.Versions {
		parts = append(parts, "*"+s.Name)
	}
	return strings.Join(parts, " or ")
}
