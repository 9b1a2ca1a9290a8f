package main

import (
	"strings"
	"unicode/utf16"

	"containlease/gen/wire"
)

// characters puts bytes that are no text, control characters and escapes into a value
// and a name.
func (b *book) characters() {
	const where = "/identity/surfaceId"
	for _, c := range []struct{ name, bytes string }{
		{"lone-continuation", "\x80"}, {"overlong-2", "\xc0\xaf"}, {"overlong-2-nul", "\xc0\x80"}, {"overlong-3", "\xe0\x80\xaf"}, {"overlong-4", "\xf0\x80\x80\xaf"}, {"surrogate", "\xed\xa0\x80"},
		{"surrogate-pair", "\xed\xa0\xbd\xed\xb8\x80"}, {"beyond-unicode", "\xf4\x90\x80\x80"}, {"five-bytes", "\xf8\x88\x80\x80\x80"}, {"ff", "\xff"}, {"fe", "\xfe"}, {"cut-2", "\xc3"}, {"cut-3", "\xe2\x82"}, {"cut-4", "\xf0\x9f\x98"}, {"latin-1", "\xe9t\xe9"},
	} {
		doc, at := b.with(where, `"in`+c.bytes+`box"`)
		b.refuse("utf8-"+c.name+"/value", "the bytes are no UTF-8, in a value", doc, wire.UTF8, where, at+3)
		name := b.spans["/identity/adapterId"].Name + 1
		b.refuse("utf8-"+c.name+"/name", "the bytes are no UTF-8, in a name", splice(b.doc, name+2, name+2, c.bytes), wire.UTF8, "/identity", name+2)
		b.refuse("utf8-"+c.name+"/outside", "the bytes are no UTF-8, between two members", splice(b.doc, name-1, name-1, c.bytes), wire.UTF8, "/identity", name-1)
	}
	for _, c := range []struct{ name, text string }{{"high", `\ud83d`}, {"low", `\ude00`}, {"swapped", `\ude00\ud83d`}, {"high-twice", `\ud83d\ud83d`}, {"high-then-letter", `\ud83da`}} {
		doc, at := b.with(where, `"in`+c.text+`"`)
		b.refuse("half-surrogate-"+c.name, "half of a surrogate pair, spelled as an escape", doc, wire.UTF8, where, at+3)
	}
	b.controls(where)
	b.escapes(where)
	b.encodings()
}

// controls: a string holds no control character, and none that was escaped obeys a pattern.
func (b *book) controls(where string) {
	for c := byte(0); c < 0x20; c++ {
		doc, at := b.with(where, `"in`+string(rune(c))+`box"`)
		b.refuse(of("control-%02x/raw", c), "a raw control character in a string", doc, wire.Syntax, where, at+3)
		doc, at = b.with(where, of(`"in\u%04xbox"`, c))
		b.refuse(of("control-%02x/escaped", c), "an escaped control character, which the pattern does not allow", doc, wire.Pattern, where, at+3)
	}
	for _, c := range []struct{ name, text string }{{"del", "\x7f"}, {"c1", "\u0085"}, {"no-break-space", "\u00a0"}, {"line-separator", "\u2028"}, {"replacement", "\ufffd"}, {"noncharacter", "\uffff"}, {"astral", "😀"}, {"bidi", "\u202e"}, {"zero-width", "\u200b"}} {
		doc, at := b.with(where, `"in`+c.text+`box"`)
		b.refuse("character-"+c.name, "a character that the pattern does not allow", doc, wire.Pattern, where, at+3)
	}
}

func (b *book) escapes(where string) {
	for _, text := range []string{`\q`, `\'`, `\x41`, `\0`, `\U0061`, `\ `} {
		doc, at := b.with(where, `"in`+text+`box"`)
		b.refuse("escape-"+text[1:2], "an escape that does not exist", doc, wire.Syntax, where, at+4)
	}
	for i, text := range []string{`\u`, `\u0`, `\u00`, `\u006`, `\u006g`, `\u00 61`} {
		doc, at := b.with(where, `"in`+text+`"`)
		b.refuse(of("escape-hex-%d", i), "an escape without four hex digits", doc, wire.Syntax, where, at+3+min(len(text), []int{2, 3, 4, 5, 5, 4}[i]))
	}
	for _, text := range []string{`\u0061`, `\u0041`[:4] + `62`} {
		doc, _ := b.with(where, `"in`+text+`"`)
		canonical, _ := b.with(where, `"in`+map[bool]string{true: "a", false: "b"}[text == `\u0061`]+`"`)
		b.loose("escape-of-"+text[2:], "an escape where the character itself belongs", doc, canonical)
	}
	doc, at := b.with(where, `"in\/box"`)
	b.refuse("escape-solidus", "an escaped solidus, which the pattern does not allow", doc, wire.Pattern, where, at+3)
}

// encodings are the document in other encodings, and with byte order marks.
func (b *book) encodings() {
	b.refuse("bom-utf8", "a byte order mark comes first", append([]byte("\ufeff"), b.doc...), wire.UTF8, "", 0)
	units := utf16.Encode([]rune(string(b.doc)))
	for _, order := range []struct {
		name string
		high int
	}{{"utf16-be", 0}, {"utf16-le", 1}} {
		wide := make([]byte, 2*len(units))
		for i, unit := range units {
			wide[2*i+order.high], wide[2*i+1-order.high] = byte(unit>>8), byte(unit)
		}
		b.refuse(order.name, "the document is in UTF-16", wide, wire.Syntax, "", order.high)
		mark := []byte{0xfe, 0xff}
		if order.high == 1 {
			mark = []byte{0xff, 0xfe}
		}
		b.refuse(order.name+"-bom", "the document is in UTF-16 with a byte order mark", append(mark, wide...), wire.UTF8, "", 0)
	}
	b.refuse("nul-padded", "NUL bytes behind the document", append([]byte(string(b.doc)), strings.Repeat("\x00", 64)...), wire.TrailingData, "", len(b.doc))
}
