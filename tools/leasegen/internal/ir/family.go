package ir

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"containlease/tools/leasegen/internal/source"
)

// VersionKey is the member that carries a document's version.
const VersionKey = "schemaVersion"

var documentName = regexp.MustCompile(`^([a-z]+)-v([1-9][0-9]*)$`)

// document builds the schema's root and adds it to its family.
func (b *builder) document() error {
	parts := documentName.FindStringSubmatch(b.schema.Name)
	if parts == nil {
		return b.fail("", "a schema is called <document>-v<version>")
	}
	version, _ := strconv.Atoi(parts[2]) // the expression lets digits only through
	s, versioned, err := b.root(parts[1])
	if err != nil {
		return err
	}
	family := b.family(parts[1])
	if version != len(family.Versions)+1 {
		return b.fail("", "version %d comes where version %d was expected", version, len(family.Versions)+1)
	}
	if versioned {
		last := &s.Fields[fieldIndex(s, VersionKey)]
		if last.Kind != KindConst || last.Int.Min != int64(version) {
			return b.fail("/properties/"+VersionKey, "it must be the constant %d, as the schema's name says", version)
		}
		last.Kind = KindVersion
	}
	family.Versioned = versioned
	family.Versions = append(family.Versions, s)
	family.Origins = append(family.Origins, b.origin())
	return nil
}

// root builds the document itself: an object, or one of the definitions.
func (b *builder) root(name string) (s *Struct, versioned bool, err error) {
	root := *b.schema.Root
	if root.Ref != "" {
		value, err := b.value("", "", &root)
		if err == nil && value.Kind != KindStruct {
			err = b.fail("/$ref", "a document is an object")
		}
		return value.Struct, false, err
	}
	s, err = b.object("", GoName(b.schema.Name), &root)
	if err == nil && fieldIndex(s, VersionKey) < 0 {
		err = b.fail("/properties", "a document of type %s needs a member %s", name, VersionKey)
	}
	return s, true, err
}

func (b *builder) family(name string) *Family {
	for _, family := range b.pkg.Families {
		if family.Name == name {
			return family
		}
	}
	family := &Family{Name: name}
	b.pkg.Families = append(b.pkg.Families, family)
	return family
}

func fieldIndex(s *Struct, key string) int {
	for i := range s.Fields {
		if s.Fields[i].JSON == key {
			return i
		}
	}
	return -1
}

// join lays the versions over one another: the last one must have every member, and
// no member may be dropped and come back, or change its meaning.
func (f *Family) join() error {
	last := f.Versions[len(f.Versions)-1]
	refuse := func(format string, args ...any) error {
		return &source.Error{Schema: f.Name + "-v" + strconv.Itoa(len(f.Versions)), Reason: fmt.Sprintf(format, args...)}
	}
	all := *last
	all.Has = nil
	for _, version := range f.Versions {
		var has uint32
		for _, field := range version.Fields {
			i := fieldIndex(last, field.JSON)
			if i < 0 {
				return refuse("it lacks the member %s of an earlier version", field.JSON)
			}
			has |= 1 << i
			if field.Kind != KindVersion && field.Value != last.Fields[i].Value {
				return refuse("the member %s holds something else than in an earlier version", field.JSON)
			}
		}
		if n := len(all.Has); n > 0 && all.Has[n-1]&^has != 0 {
			return refuse("an earlier version dropped a member that comes back")
		}
		all.Has = append(all.Has, has)
	}
	// The widest version holds every member by value, whichever versions have it.
	all.Fields = slices.Clone(last.Fields)
	for i := range all.Fields {
		all.Fields[i].ValueIn = 1<<len(all.Has) - 1
	}
	f.Widest, f.All = last, &all
	return nil
}
