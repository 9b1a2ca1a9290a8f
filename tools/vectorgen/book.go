package main

import (
	"bytes"
	"fmt"
	"strings"

	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
)

// The documents that cases are made from.
const (
	uuid   = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53"
	digest = "4509beb0ab401d71fa4a5cd94a55c9a74f13332776ae4019c5bfc4c2005157ff"

	identity = `"identity":{"adapterId":"acme-web","bundleSha256":"` + digest + `","contractVersion":3,"descriptorSha256":"` + digest +
		`","hostApiVersion":1,"manifestSha256":"` + digest + `","operation":"mail.messages.list","pluginId":"acme-mail","pluginVersion":"1.4.0-rc.1+build.7",` +
		`"surfaceId":"inbox","transport":"web-session-api"}`
	process  = `"bootId":"` + digest + `","pid":48377,"processStartId":"` + digest + `"`
	identify = `,"leaseId":"` + uuid + `","owner":{` + process + `,"token":"` + uuid + `"},"runId":"` + uuid + `","schemaVersion":`
	begin    = `{"acquiredAt":"2026-11-30T02:24:41.123Z",`

	active = begin + `"containment":{"host":{` + process + `},"status":"host-active"},` + identity + identify + "2}\n"
	ended  = begin + `"containment":{"host":null,"status":"cleanup-unsafe"},` + identity + identify + "2}\n"
	parent = begin + `"containment":{"status":"parent-owned"},` + identity + identify + "2}\n"
	first  = begin + identity + identify + "1}\n"
)

// book collects the cases made from one document.
type book struct {
	prefix string
	doc    []byte
	spans  map[string]vectors.Span
	rows   []vectors.Case
}

func open(prefix, doc string) *book {
	return &book{prefix: prefix, doc: []byte(doc), spans: vectors.Locate([]byte(doc))}
}

var yes, no = true, false

// refuse adds a document that is wrong at both levels for the same reason.
func (b *book) refuse(name, reason string, doc []byte, code wire.Code, pointer string, offset int) {
	v := vectors.Verdict{Code: string(code), Pointer: pointer, Offset: offset}
	b.rows = append(b.rows, vectors.Case{Name: b.prefix + "/" + name, Reason: reason, Bytes: doc, Schema: seen(code), Value: v, Strict: v})
}

// seen says what a schema says of a refused document: nothing where there is no
// value, or not one that all parsers agree on.
func seen(code wire.Code) *bool {
	switch code {
	case wire.Syntax, wire.UTF8, wire.DuplicateKey, wire.TrailingData:
		return nil
	}
	return &no
}

// accept adds a document that is right at both levels.
func (b *book) accept(name, reason string, doc []byte) {
	b.rows = append(b.rows, vectors.Case{Name: b.prefix + "/" + name, Reason: reason, Bytes: doc, Schema: &yes})
}

// loose adds a document whose value is right, but spelled in another way than the
// canonical one.
func (b *book) loose(name, reason string, doc, canonical []byte) {
	at := 0
	for at < len(doc) && at < len(canonical) && doc[at] == canonical[at] {
		at++
	}
	v := vectors.Verdict{Code: string(wire.NotCanonical), Pointer: touched(vectors.Locate(canonical), at), Offset: at}
	b.rows = append(b.rows, vectors.Case{Name: b.prefix + "/" + name, Reason: reason, Bytes: doc, Schema: &yes, Strict: v})
}

// touched is the pointer of the value at offset, or of the one that ends right there.
func touched(spans map[string]vectors.Span, offset int) string {
	for pointer, span := range spans {
		if span.Stop == offset && offset > 0 {
			return pointer // no two values end at the same byte
		}
	}
	return vectors.Innermost(spans, offset).Pointer
}

// with returns the document with the value at pointer replaced, and the offset of
// the new value.
func (b *book) with(pointer, value string) ([]byte, int) {
	span := b.spans[pointer]
	return splice(b.doc, span.Start, span.Stop, value), span.Start
}

// member is the text of a member, with its name.
func (b *book) member(pointer string) string {
	span := b.spans[pointer]
	return string(b.doc[span.Name:span.Stop])
}

func splice(doc []byte, start, stop int, text string) []byte {
	return bytes.Join([][]byte{doc[:start], []byte(text), doc[stop:]}, nil)
}

// without removes a member and one comma, and returns the offset at which its object
// closes now.
func (b *book) without(pointer string) ([]byte, int) {
	span, object := b.spans[pointer], b.spans[vectors.Parent(pointer)]
	start, stop := span.Name, span.Stop
	if b.doc[stop] == ',' {
		stop++
	} else if b.doc[start-1] == ',' {
		start--
	}
	return splice(b.doc, start, stop, ""), object.Stop - 1 - (stop - start)
}

// wrong returns at which byte of name no name in open can go on: len(name) means that
// it is a true prefix of one of them.
func wrong(name string, open []string) int {
	longest := 0
	for _, other := range open {
		n := 0
		for n < len(name) && n < len(other) && name[n] == other[n] {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}

// members lists the pointers of an object's members in their order.
func (b *book) members(object string) []string {
	var all []string
	for pointer := range b.spans {
		if pointer != "" && vectors.Parent(pointer) == object {
			all = append(all, pointer)
		}
	}
	return sortedBy(all, func(p string) int { return b.spans[p].Start })
}

func slug(pointer string) string {
	if pointer == "" {
		return "document"
	}
	return strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
}

func of(format string, args ...any) string { return fmt.Sprintf(format, args...) }
