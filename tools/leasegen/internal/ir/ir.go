// Package ir is the typed form between schemas and Go: what the schemas mean,
// reduced to the few shapes that the generated code knows, with everything refused
// that those shapes cannot express exactly.
package ir

import "containlease/tools/leasegen/internal/automaton"

// Origin is a schema file that a declaration comes from.
type Origin struct{ Schema, SHA256 string }

// Text is a string with a pattern.
type Text struct {
	Name    string // Go name: SHA256
	Title   string // noun phrase for messages
	Pattern string
	DFA     *automaton.Automaton
	Max     int // characters
	Free    bool
	Origins []Origin
}

// Int is an integer within bounds, or the only one allowed.
type Int struct {
	Name     string
	Title    string
	Min, Max int64
	Origins  []Origin
}

// Enum is a closed list of strings with a Go type of its own.
type Enum struct {
	Name    string
	Title   string
	Doc     string
	Words   []string
	Origins []Origin
}

// Kind says which Go type a field has.
type Kind int

// The kinds of fields.
const (
	KindText    Kind = iota // string
	KindInt                 // int64
	KindBool                // bool
	KindEnum                // the enum's type
	KindStruct              // the struct's type
	KindConst               // an integer with one value: no field
	KindVersion             // the same, and it tells the versions of a document apart
	KindTag                 // the enum that tells the variants of a union apart
)

// Value is what a member holds.
type Value struct {
	Kind     Kind
	Text     *Text
	Int      *Int
	Enum     *Enum
	Struct   *Struct
	Nullable bool
}

// Field is a member of an object; in a union, of one of its variants or more.
type Field struct {
	JSON, Go, Doc string
	Value
	// NullIn and ValueIn are the variants in which it may be null, and something else.
	NullIn, ValueIn uint32
}

// Struct is an object, or a union of objects, as one flat Go type.
type Struct struct {
	Name, Title, Doc string
	Fields           []Field  // sorted by JSON name
	Has              []uint32 // for each variant the set of its fields
	Tags             []uint32 // for each word of the tag the variants it stands for; nil for no union
	Origins          []Origin
}

// Union reports whether the struct has variants told apart by a tag.
func (s *Struct) Union() bool { return s.Tags != nil }

// Words returns the words of a union's tag, one for each of Tags.
func (s *Struct) Words() []string {
	for i := range s.Fields {
		if s.Fields[i].Kind == KindTag {
			return s.Fields[i].Enum.Words
		}
	}
	return nil
}

// Pointer reports whether the Go field is a pointer to a struct: where it may be
// null, or is missing in a variant.
func (s *Struct) Pointer(f *Field) bool {
	return f.Kind == KindStruct && (f.Nullable || f.ValueIn != 1<<len(s.Has)-1)
}

// Family is all versions of one document, oldest first.
type Family struct {
	Name     string // lease
	Versions []*Struct
	Origins  []Origin
	// Widest is the struct that every version can be read into, and All describes
	// its members across the versions: variant v of All is version v+1.
	Widest, All *Struct
	// Versioned tells whether the document has a schemaVersion at all.
	Versioned bool
}

// Package is everything that is generated.
type Package struct {
	Texts    []*Text
	Ints     []*Int
	Enums    []*Enum
	Structs  []*Struct // without the documents of families
	Families []*Family
}
