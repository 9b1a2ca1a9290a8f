package main

import (
	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
)

// large are the documents that are too large for a file of lines: each is a list of
// parts with how often each comes.
func large() []vectors.Case {
	b := open("", active)
	l := &pile{}
	const million, ten = 1_000_000, 10_000_000
	for _, n := range []int{10_000, million} {
		l.refuse(of("brackets-%d", n), "arrays in arrays", wire.WrongType, "", 0, part("[", n))
		l.refuse(of("brackets-closed-%d", n), "arrays in arrays, closed again", wire.WrongType, "", 0, part("[", n), part("]", n))
		l.refuse(of("braces-%d", n), "objects in objects", wire.UnknownKey, "", 2, part(`{"z":`, n))
		before, at, after := b.around("/owner")
		l.refuse(of("owner-brackets-%d", n), "arrays in arrays where the owner belongs", wire.WrongType, "/owner", at, part(before, 1), part("[", n), part("]", n), part(after, 1))
		l.refuse(of("members-%d", n), "the same unknown member over and over", wire.UnknownKey, "", 2, part("{", 1), part(`"z":1,`, n), part(`"z":1}`, 1))
		before, at, after = b.around("/owner/pid")
		l.refuse(of("digits-%d", n), "a number with very many digits", wire.Range, "/owner/pid", at+15, part(before, 1), part("9", n), part(after, 1))
		l.refuse(of("exponent-digits-%d", n), "an exponent with very many digits", wire.Range, "/owner/pid", at+3, part(before+"1e", 1), part("9", n), part(after, 1))
		l.refuse(of("fraction-%d", n), "a fraction that shows only at its last digit", wire.Range, "/owner/pid", at+2+n, part(before+"1.", 1), part("0", n), part("1", 1), part(after, 1))
	}
	before, at, after := b.around("/identity/surfaceId")
	l.refuse("string-10MB", "a string of ten million characters", wire.Length, "/identity/surfaceId", at+129, part(before+`"`, 1), part("a", ten), part(`"`+after, 1))
	l.refuse("string-10MB-open", "a string of ten million characters without an end", wire.Length, "/identity/surfaceId", at+129, part(before+`"`, 1), part("a", ten))
	l.refuse("string-escapes-10MB", "a long string in escapes", wire.Length, "/identity/surfaceId", at+1+6*128, part(before+`"`, 1), part(`\u0061`, ten/6), part(`"`+after, 1))
	l.refuse("name-10MB", "a name of ten million characters", wire.UnknownKey, "", 2, part(`{"`, 1), part("z", ten), part(`":1}`, 1))
	l.refuse("trailing-10MB", "ten million bytes behind the document", wire.TrailingData, "", len(active), part(active, 1), part("x", ten))
	l.refuse("garbage-10MB", "ten million NUL bytes", wire.Syntax, "", 0, part("\x00", ten))
	l.accept("blanks-before-10MB", "ten million blanks before a valid document", part(" ", ten), part(active, 1))
	l.accept("blanks-after-10MB", "ten million blanks behind a valid document", part(active, 1), part(" ", ten))
	l.accept("file-one-too-large", "a valid value in one byte more than a file may have", part(active, 1), part(" ", wire.MaxFile+1-len(active)))
	return l.rows
}

type pile struct{ rows []vectors.Case }

var tooLarge = vectors.Verdict{Code: string(wire.TooLarge), Offset: wire.MaxFile}

func (l *pile) refuse(name, reason string, code wire.Code, pointer string, offset int, parts ...vectors.Part) {
	row := vectors.Case{Name: "large/" + name, Reason: reason, Parts: parts, Schema: seen(code)}
	row.Value = vectors.Verdict{Code: string(code), Pointer: pointer, Offset: offset}
	if row.Strict = tooLarge; len(vectors.Join(parts)) <= wire.MaxFile {
		row.Strict = row.Value
	}
	l.rows = append(l.rows, row)
}

func (l *pile) accept(name, reason string, parts ...vectors.Part) {
	l.rows = append(l.rows, vectors.Case{Name: "large/" + name, Reason: reason, Parts: parts, Schema: &yes, Strict: tooLarge})
}

func part(text string, times int) vectors.Part {
	return vectors.Part{Bytes: []byte(text), Times: times}
}

// around is the document before and behind the value at pointer, which begins at offset at.
func (b *book) around(pointer string) (before string, at int, after string) {
	span := b.spans[pointer]
	return string(b.doc[:span.Start]), span.Start, string(b.doc[span.Stop:])
}
