package main

import (
	"containlease/gen/wire"
	"containlease/tools/internal/vectors"
	"slices"
)

// kind is the JSON type of a value by its first byte.
func kind(text []byte) string {
	switch text[0] {
	case '{':
		return "object"
	case '"':
		return "string"
	case 'n':
		return "null"
	}
	return "number"
}

// types puts a value of every other JSON type where each value stands.
func (b *book) types() {
	others := []struct{ kind, text string }{
		{"null", "null"}, {"true", "true"}, {"false", "false"}, {"number", "1"}, {"string", `"1"`}, {"array", "[]"}, {"array-of-it", ""}, {"object", "{}"},
	}
	for _, pointer := range sortedBy(b.pointers(), func(p string) int { return b.spans[p].Start }) {
		span := b.spans[pointer]
		have := string(b.doc[span.Start:span.Stop])
		for _, other := range others {
			if other.kind == kind([]byte(have)) || pointer == "/containment/host" && other.kind == "null" {
				continue
			}
			if other.kind == "array-of-it" {
				other.text = "[" + have + "]"
			}
			doc, at := b.with(pointer, other.text)
			b.refuse("type-"+other.kind+"/"+slug(pointer), "the value has another JSON type: "+other.kind, doc, wire.WrongType, pointer, at)
		}
	}
}

func (b *book) pointers() []string {
	var all []string
	for pointer := range b.spans {
		all = append(all, pointer)
	}
	slices.Sort(all)
	return all
}

// unions breaks the rule that ties the host to the status. In canonical order the host
// comes first, so the status is at fault; the other order shows the host at fault.
func (b *book) unions() {
	host := `"host":{` + process + `}`
	for _, c := range []struct {
		name, reason, text string
		code               wire.Code
		pointer, fault     string // fault is where it breaks: behind this text
	}{
		{"host-active-null", "a host at work, but it is null", `{"host":null,"status":"host-active"}`, wire.Enum, "/status", `"host":null,"status":"`},
		{"host-starting-null", "a starting host that is null", `{"host":null,"status":"host-starting"}`, wire.Enum, "/status", `"host":null,"status":"`},
		{"parent-owned-host", "no host was started, but there is one", `{` + host + `,"status":"parent-owned"}`, wire.Enum, "/status", host + `,"status":"`},
		{"parent-owned-null", "no host was started, but there is a null one", `{"host":null,"status":"parent-owned"}`, wire.Enum, "/status", `"host":null,"status":"`},
		{"status-first-null", "a host at work comes first, then it is null", `{"status":"host-active","host":null}`, wire.WrongType, "/host", `"host":`},
		{"status-first-host", "parent-owned comes first, then a host", `{"status":"parent-owned",` + host + `}`, wire.UnknownKey, "", `"parent-owned"`},
		{"host-active-none", "a host at work without a host", `{"status":"host-active"}`, wire.MissingKey, "", `"host-active"`},
		{"cleanup-none", "cleanup has ended, but the host is left out", `{"status":"cleanup-complete"}`, wire.MissingKey, "", `"cleanup-complete"`},
		{"unknown-status", "a status that does not exist", `{` + host + `,"status":"host-gone"}`, wire.Enum, "/status", `"status":"host-`},
		{"upper-status", "a status in another case", `{` + host + `,"status":"Host-active"}`, wire.Enum, "/status", `"status":"`},
		{"host-token", "a host with the owner's token", `{"host":{` + process + `,"token":"` + uuid + `"},"status":"host-active"}`, wire.UnknownKey, "/host", process},
	} {
		doc, at := b.with("/containment", c.text)
		b.refuse("union/"+c.name, c.reason, doc, c.code, "/containment"+c.pointer, at+behind(c.text, c.fault))
	}
	for _, text := range []string{
		`{` + host + `,"status":"host-starting"}`, `{` + host + `,"status":"cleanup-complete"}`, `{` + host + `,"status":"cleanup-unsafe"}`,
		`{"host":null,"status":"cleanup-complete"}`, `{"status":"parent-owned"}`,
	} {
		doc, _ := b.with("/containment", text)
		b.accept("union/valid-"+vectors.Base("/"+text[len(text)-13:len(text)-2])+of("-%d", len(text)), "a shape that exists: "+text, doc)
	}
	swapped, _ := b.with("/containment", `{"status":"host-active",`+host+`}`)
	b.loose("union/status-first", "status before host", swapped, b.doc)
}

func behind(text, part string) int {
	for i := range len(text) - len(part) + 1 {
		if text[i:i+len(part)] == part {
			return i + len(part)
		}
	}
	panic(part)
}
