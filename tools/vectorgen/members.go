package main

import (
	"cmp"
	"slices"
	"strings"

	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
)

func sortedBy(s []string, key func(string) int) []string {
	slices.SortFunc(s, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
	return s
}

// cases are the documents with one change each.
func cases() []vectors.Case {
	var all []vectors.Case
	for _, b := range []*book{open("v2-active", active), open("v2-ended", ended), open("v2-parent", parent), open("v1", first)} {
		b.accept("valid", "a valid document", b.doc)
		for _, object := range b.objects() {
			for _, pointer := range b.members(object) {
				b.names(object, pointer)
			}
			b.extra(object)
		}
		all = append(all, b.rows...)
	}
	b := open("v2", active)
	b.types()
	b.texts()
	b.times()
	b.numbers()
	b.unions()
	b.characters()
	b.layout()
	return append(all, b.rows...)
}

func (b *book) objects() []string {
	var all []string
	for pointer, span := range b.spans {
		if span.Object {
			all = append(all, pointer)
		}
	}
	return sortedBy(all, func(p string) int { return b.spans[p].Start })
}

// names spoils the name of one member in every way there is.
func (b *book) names(object, pointer string) {
	doc, closing := b.without(pointer)
	b.refuse("missing/"+slug(pointer), "the member is missing", doc, wire.MissingKey, object, closing)

	member, span, end := b.member(pointer), b.spans[pointer], b.spans[object].Stop-1
	name := vectors.Base(pointer)
	b.refuse("twice/"+slug(pointer), "the same member again at the end of its object", splice(b.doc, end, end, ","+member), wire.DuplicateKey, object, end)
	escaped := of(`,"\u%04x%s`, name[0], member[2:])
	b.refuse("twice-escaped/"+slug(pointer), "the same member again, its name spelled with an escape", splice(b.doc, end, end, escaped), wire.DuplicateKey, object, end)
	b.again(object, pointer)

	var rest []string // names that can still come where this one stands
	for _, other := range b.members(object) {
		if b.spans[other].Start >= span.Start {
			rest = append(rest, vectors.Base(other))
		}
	}
	for _, s := range [][2]string{
		{"upper-first", strings.ToUpper(name[:1]) + name[1:]}, {"upper-all", strings.ToUpper(name)}, {"lower-all", strings.ToLower(name)},
		{"long-s", strings.Replace(name, "s", "ſ", 1)}, {"kelvin", strings.Replace(name, "k", "\u212a", 1)}, {"blank", name + " "}, {"cut", name[:len(name)-1]},
		{"dotless", strings.Replace(name, "i", "ı", 1)},
	} {
		if what, spelled := s[0], s[1]; spelled != name {
			at := span.Name + 1 + wrong(spelled, rest)
			b.refuse("name-"+what+"/"+slug(pointer), "the name is spelled "+spelled, splice(b.doc, span.Name+1, span.Name+1+len(name), spelled), wire.UnknownKey, object, at)
		}
	}
}

// again repeats a member right behind itself: what may still come decides which byte
// of the name is wrong.
func (b *book) again(object, pointer string) {
	span, name := b.spans[pointer], vectors.Base(pointer)
	var rest []string
	for _, other := range b.members(object) {
		if b.spans[other].Start > span.Start {
			rest = append(rest, vectors.Base(other))
		}
	}
	if len(rest) > 0 {
		doc := splice(b.doc, span.Stop, span.Stop, ","+b.member(pointer))
		b.refuse("twice-in-a-row/"+slug(pointer), "the same member again, right behind itself", doc, wire.DuplicateKey, object, span.Stop+2+wrong(name, rest))
	}
}

// extra adds names that have no place in an object.
func (b *book) extra(object string) {
	at := b.spans[object].Start + 1
	for _, e := range [][2]string{{"unknown", "zzz"}, {"proto", "__proto__"}, {"empty", ""}, {"x", "x-note"}, {"accent", "é"}} {
		what, name := e[0], e[1]
		doc := splice(b.doc, at, at, `"`+name+`":1,`)
		b.refuse("extra-"+what+"/"+slug(object), of("an unknown name %q comes first", name), doc, wire.UnknownKey, object, at+1)
	}
	end := b.spans[object].Stop - 1
	b.refuse("extra-last/"+slug(object), "an unknown name comes last, where no name may follow", splice(b.doc, end, end, `,"zzz":1`), wire.UnknownKey, object, end)
}
