package main

import (
	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
)

// cuts are valid documents that end too early, at every byte.
func cuts() []vectors.Case {
	var all []vectors.Case
	for _, b := range []*book{open("v2-active", active), open("v2-ended", ended), open("v2-parent", parent), open("v1", first)} {
		for n := range len(b.doc) {
			row := vectors.Case{
				Name: of("%s/cut-%04d", b.prefix, n), Reason: of("the document ends after %d bytes", n), Base: b.prefix + "/valid",
				Edits: []vectors.Edit{{Offset: n, Deleted: len(b.doc) - n}},
			}
			v := vectors.Verdict{Code: string(wire.Syntax), Pointer: b.reading(n), Offset: n}
			row.Value, row.Strict = v, v
			if n == len(b.doc)-1 {
				row.Schema, row.Value, row.Strict.Code = &yes, vectors.Accepted, string(wire.NotCanonical)
			}
			all = append(all, row)
		}
	}
	return all
}

// reading is the pointer of the value being read at offset: a number that is whole so
// far was read, and it is the object that needs more.
func (b *book) reading(offset int) string {
	span := vectors.Innermost(b.spans, offset)
	if span.Pointer != "" && offset > span.Start && kind(b.doc[span.Start:]) == "number" {
		return vectors.Parent(span.Pointer)
	}
	return span.Pointer
}
