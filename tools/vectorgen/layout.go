package main

import (
	"bytes"
	"encoding/json"
	"strings"

	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
)

// layout changes what stands between the values, and what stands around the document.
func (b *book) layout() {
	for _, c := range []struct{ name, text string }{
		{"object", "{}"}, {"itself", string(b.doc)}, {"comma", ","}, {"brace", "}"}, {"letter", "x"}, {"comment", "// x\n"}, {"nul", "\x00"}, {"vertical-tab", "\v"}, {"form-feed", "\f"},
		{"no-break-space", "\u00a0"}, {"line-separator", "\u2028"}, {"bom", "\ufeff"}, {"number", "1"}, {"ff", "\xff"}, {"after-blanks", "  \n null"},
	} {
		at := len(b.doc) + len(c.text) - len(strings.TrimLeft(c.text, " \n"))
		b.refuse("trailing-"+c.name, "something follows the document", append(append([]byte{}, b.doc...), c.text...), wire.TrailingData, "", at)
	}
	for _, c := range []struct{ name, text string }{{"blank", " "}, {"tab", "\t"}, {"newline", "\n"}, {"return", "\r"}} {
		b.loose("before-"+c.name, "white space before the document", append([]byte(c.text), b.doc...), b.doc)
		b.loose("after-"+c.name, "white space after the final line feed", append(append([]byte{}, b.doc...), c.text...), b.doc)
		for _, mark := range []string{":", ",", "{", "}"} {
			at := bytes.Index(b.doc[2:], []byte(mark)) + 2
			b.loose(of("%s-before-%x", c.name, mark), "white space before "+mark, splice(b.doc, at, at, c.text), b.doc)
			b.loose(of("%s-after-%x", c.name, mark), "white space after "+mark, splice(b.doc, at+1, at+1, c.text), b.doc)
		}
	}
	b.loose("no-final-newline", "the final line feed is missing", b.doc[:len(b.doc)-1], b.doc)
	b.loose("crlf", "the final line ends with carriage return and line feed", splice(b.doc, len(b.doc)-1, len(b.doc), "\r\n"), b.doc)
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.doc, "", "  "); err != nil {
		panic(err)
	}
	b.loose("pretty", "the document is indented", pretty.Bytes(), b.doc)
	b.broken()
	b.named()
}

// broken are documents with a structural mistake.
func (b *book) broken() {
	end := len(b.doc) - 2 // the last brace
	value := b.spans["/owner/pid"]
	b.refuse("comma-last", "a comma behind the last member", splice(b.doc, end, end, ","), wire.Syntax, "", end)
	b.refuse("comma-first", "a comma before the first member", splice(b.doc, 1, 1, ","), wire.Syntax, "", 1)
	b.refuse("comma-twice", "two commas between members", splice(b.doc, value.Stop, value.Stop, ","), wire.Syntax, "/owner", value.Stop+1)
	b.refuse("comma-missing", "no comma between members", splice(b.doc, value.Stop, value.Stop+1, ""), wire.Syntax, "/owner", value.Stop)
	b.refuse("colon-missing", "no colon behind a name", splice(b.doc, value.Start-1, value.Start, ""), wire.Syntax, "/owner", value.Start-1)
	b.refuse("colon-twice", "two colons behind a name", splice(b.doc, value.Start, value.Start, ":"), wire.Syntax, "/owner/pid", value.Start)
	b.refuse("equals", "an equals sign for a colon", splice(b.doc, value.Start-1, value.Start, "="), wire.Syntax, "/owner", value.Start-1)
	b.refuse("single-quotes", "a name in single quotes", splice(b.doc, value.Name, value.Start-1, "'pid'"), wire.Syntax, "/owner", value.Name)
	b.refuse("no-quotes", "a name without quotes", splice(b.doc, value.Name, value.Start-1, "pid"), wire.Syntax, "/owner", value.Name)
	b.refuse("comment", "a comment between members", splice(b.doc, value.Name, value.Name, "/**/"), wire.Syntax, "/owner", value.Name)
	b.refuse("wrong-brace", "a bracket where a brace closes", splice(b.doc, end, end+1, "]"), wire.Syntax, "", end)
	b.refuse("empty", "no bytes at all", nil, wire.Syntax, "", 0)
	b.refuse("blank", "nothing but white space", []byte(" \t\r\n"), wire.Syntax, "", 4)
	for _, word := range []string{"nul", "True", "undefined", "tru"} {
		doc, at := b.with("/owner/pid", word)
		code, offset := wire.Syntax, at
		if word == "nul" || word == "tru" {
			code = wire.WrongType // it begins like null or true: that is already the wrong type
		}
		b.refuse("word-"+word, "a word that is no value: "+word, doc, code, "/owner/pid", offset)
	}
}

// named are valid documents under the name of a file.
func (b *book) named() {
	const other = "aaaaaaaa-0000-4000-8000-000000000000"
	at := b.spans["/leaseId"].Start + 1
	for _, c := range []struct {
		name string
		fits bool
	}{
		{uuid + ".json", true}, {other + ".json", false}, {strings.ToUpper(other) + ".json", true}, {other, true}, {other + ".JSON", true}, {"lease.json", true}, {other + ".json.bak", true},
	} {
		row := vectors.Case{Name: b.prefix + "/file-" + c.name, Reason: "a valid document in a file called " + c.name, Bytes: b.doc, File: c.name, Schema: &yes}
		if !c.fits {
			row.Strict = vectors.Verdict{Code: string(wire.NameMismatch), Pointer: "/leaseId", Offset: at}
		}
		b.rows = append(b.rows, row)
	}
	for _, c := range []struct {
		name    string
		version string
	}{{"3", "3"}, {"30e-1", "30e-1"}, {"9007199254740991", most}} {
		doc, at := b.with("/schemaVersion", c.version)
		b.refuse("version-"+c.name, "a version from the future", doc, wire.NewerVersion, "/schemaVersion", at)
	}
	doc, offset := b.with("/schemaVersion", "1")
	b.refuse("version-1", "version 1 has no containment", doc, wire.Const, "/schemaVersion", offset)
}
