package main

import (
	"strings"

	"containlease/gen/wire"
)

// figure is a way of writing a number: its value is right, or it is wrong from its
// byte at on. Of those that no schema can judge since they are no JSON, code is Syntax.
type figure struct {
	name, text string
	code       wire.Code // empty for right
	at         int
}

const most = "9007199254740991" // 2^53-1

// sizes are wrong for every integer member; code is Range or Const. Only the last one
// of them depends on how many digits the bounds have.
func sizes(code wire.Code) []figure {
	return []figure{
		{"zero", "0", code, 1}, {"minus-zero", "-0", code, 0}, {"minus-one", "-1", code, 0}, {"zero-point-zero", "0.0", code, 3}, {"zero-e-9", "0e9", code, 1},
		{"2-to-the-53", "9007199254740992", code, 15}, {"2-to-the-53-plus-1", "9007199254740993", code, 15}, {"2-to-the-63", "9223372036854775808", code, 15}, {"2-to-the-64", "18446744073709551616", code, 16},
		{"400-digits", strings.Repeat("9", 400), code, 15}, {"1e1000000", "1e1000000", code, 4}, {"1e16", "1e16", code, 3}, {"1e-1", "1e-1", code, 3},
		{"half", "1.5", wire.WrongType, 3}, {"tiny-fraction", "1.0000000000000000000000001", code, 26},
	}
}

var spelledWrong = []figure{
	{"leading-zero", "01", wire.Syntax, 1}, {"plus", "+1", wire.Syntax, 0}, {"point-first", ".5", wire.Syntax, 0}, {"point-last", "1.", wire.Syntax, 2}, {"no-exponent", "1e", wire.Syntax, 2},
	{"no-exponent-digits", "1e+", wire.Syntax, 3}, {"hex", "1x1", wire.Syntax, 1}, {"underscore", "1_0", wire.Syntax, 1}, {"nan", "NaN", wire.Syntax, 0}, {"infinity", "Infinity", wire.Syntax, 0},
	{"arabic", "١", wire.Syntax, 0}, {"suffix", "1n", wire.Syntax, 1}, {"comma", "1,5", wire.Syntax, 2},
}

// numbers tries every way of writing a number on the members that are integers.
func (b *book) numbers() {
	for _, pointer := range []string{"/owner/pid", "/containment/host/pid"} {
		for _, f := range append(append(rightNumbers(most), pidFigures()...), spelledWrong...) {
			b.figure(pointer, f)
		}
	}
	for _, f := range append(append(rightNumbers("1000000"), contractFigures...), spelledWrong...) {
		b.figure("/identity/contractVersion", f)
	}
	for _, f := range append([]figure{{"1.0", "1.0", "", 0}, {"10e-1", "10e-1", "", 0}, {"1.00e+00", "1.00e+00", "", 0}, {"1", "1", "", 0},
		{"2", "2", wire.Const, 0}, {"0", "0", wire.Const, 1}, {"minus", "-1", wire.Const, 0}, {"11", "11", wire.Const, 1}}, spelledWrong...) {
		b.figure("/identity/hostApiVersion", f)
	}
}

func rightNumbers(highest string) []figure {
	all := []figure{{"lowest", "1", "", 0}, {"highest", highest, "", 0}}
	for _, text := range []string{"1.0", "1e0", "1E0", "1e+0", "1e-0", "10e-1", "0.1e1", "1.000e2", "1e0000000000000000000000", "1" + strings.Repeat("0", 400) + "e-400"} {
		all = append(all, figure{"as-" + excerpt(text), text, "", 0})
	}
	return all
}

func pidFigures() []figure { return sizes(wire.Range) }

var contractFigures = []figure{
	{"zero", "0", wire.Range, 1}, {"minus-one", "-1", wire.Range, 0}, {"above", "1000001", wire.Range, 6}, {"ten-times", "10000000", wire.Range, 8}, {"1e7", "1e7", wire.Range, 2}, {"1e1000000", "1e1000000", wire.Range, 3},
	{"half", "1.5", wire.WrongType, 3},
}

func (b *book) figure(pointer string, f figure) {
	doc, at := b.with(pointer, f.text)
	name, reason := "number-"+f.name+"/"+slug(pointer), "the number is written "+excerpt(f.text)
	switch {
	case f.code != "":
		// What follows a whole value is at fault in its object.
		if f.code == wire.Syntax && f.at > 0 && (f.name == "underscore" || f.name == "suffix" || f.name == "hex" || f.name == "comma") {
			pointer = pointer[:strings.LastIndexByte(pointer, '/')]
		}
		b.refuse(name, reason, doc, f.code, pointer, at+f.at)
	case f.name == "lowest" || f.name == "highest" || f.name == "1":
		b.accept(name, reason, doc)
	default:
		canonical, _ := b.with(pointer, plainly(f.text))
		b.loose(name, reason, doc, canonical)
	}
}

// plainly is the shortest way of writing the values that rightNumbers writes.
func plainly(text string) string {
	if text == "1.000e2" {
		return "100"
	}
	return "1"
}
