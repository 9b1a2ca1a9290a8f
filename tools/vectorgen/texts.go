package main

import (
	"strings"

	"containlease/gen/wire"
)

// spelling is a value of a string member: right, or wrong from its byte at on.
type spelling struct {
	name, text string
	code       wire.Code // empty for right
	at         int
}

func right(name, text string) spelling { return spelling{name: name, text: text} }

// ends is wrong where its closing quote stands: too short.
func ends(name, text string) spelling { return spelling{name, text, wire.Pattern, len(text)} }

func wrongAt(name, text string, at int) spelling { return spelling{name, text, wire.Pattern, at} }

// long is wrong at the first character beyond most.
func long(name, text string, most int) spelling { return spelling{name, text, wire.Length, most} }

var uuids = []spelling{
	right("lowest", "00000000-0000-4000-8000-000000000000"), right("highest", "ffffffff-ffff-4fff-bfff-ffffffffffff"),
	ends("empty", ""), ends("short", uuid[:35]), long("long", uuid+"0", 36),
	wrongAt("version-3", "3f2b8c1e-5d47-3a90-8b1f-6c0d2e9a7f53", 14), wrongAt("version-5", "3f2b8c1e-5d47-5a90-8b1f-6c0d2e9a7f53", 14),
	wrongAt("variant-7", "3f2b8c1e-5d47-4a90-7b1f-6c0d2e9a7f53", 19), wrongAt("variant-c", "3f2b8c1e-5d47-4a90-cb1f-6c0d2e9a7f53", 19),
	wrongAt("upper", "3F2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53", 1), wrongAt("g", "3f2b8c1g-5d47-4a90-8b1f-6c0d2e9a7f53", 7),
	wrongAt("no-hyphens", "3f2b8c1e5d474a908b1f6c0d2e9a7f53", 8), wrongAt("braces", "{"+uuid+"}", 0), wrongAt("urn", "urn:uuid:"+uuid, 0),
	wrongAt("nil", "00000000-0000-0000-0000-000000000000", 14),
}

var digests = []spelling{
	right("lowest", strings.Repeat("0", 64)), right("highest", strings.Repeat("f", 64)),
	ends("empty", ""), ends("short", digest[:63]), long("long", digest+"0", 64),
	wrongAt("upper", strings.ToUpper(digest[:64]), 4), wrongAt("g", "g"+digest[1:], 0), wrongAt("prefix", "sha256:"+digest, 0), wrongAt("blank", " "+digest[1:], 0),
}

var kebabs = []spelling{
	right("one", "a"), right("most", strings.Repeat("a", 128)), right("digits", "a1-2b-3"), right("most-hyphens", strings.Repeat("a-", 63)+"aa"),
	ends("empty", ""), long("too-many", strings.Repeat("a", 129), 128), ends("hyphen-last", "a-"), wrongAt("hyphen-twice", "a--b", 2), wrongAt("hyphen-first", "-a", 0),
	wrongAt("digit-first", "1a", 0), wrongAt("upper", "aB", 1), wrongAt("underscore", "a_b", 1), wrongAt("dot", "a.b", 1), wrongAt("blank", "a b", 1), wrongAt("accent", "é", 0),
	wrongAt("slash", "a/b", 1),
}

var adapters = []spelling{
	right("one", "a"), right("most", "a"+strings.Repeat("0", 47)), right("hyphens", "a--"),
	ends("empty", ""), long("too-many", "a"+strings.Repeat("0", 48), 48), wrongAt("digit-first", "0a", 0), wrongAt("hyphen-first", "-a", 0), wrongAt("upper", "aA", 1), wrongAt("dot", "a.a", 1),
}

var operations = []spelling{
	right("least", "a.b"), right("most", strings.Repeat("a"+strings.Repeat("-", 39)+".", 3)+"a"+strings.Repeat("9", 39)),
	ends("empty", ""), ends("one-word", "mail"), ends("dot-last", "a.b."), wrongAt("five-words", "a.b.c.d.e", 7), wrongAt("word-of-41", "a.b"+strings.Repeat("c", 40), 42),
	wrongAt("first-word-of-41", strings.Repeat("c", 41)+".a", 40), wrongAt("dot-first", ".a", 0), wrongAt("dot-twice", "a..b", 2), wrongAt("digit-first", "a.1", 2), wrongAt("upper", "a.B", 2),
	wrongAt("underscore", "a.b_c", 3),
}

var versions = []spelling{
	right("zero", "0.0.0"), right("pre-zero", "1.0.0-01"), right("build", "1.0.0+0-.A"), right("pre-hyphens", "1.0.0---"), right("both", "10.20.30-a.B.0+c.D"),
	right("most", "1.0."+strings.Repeat("9", 124)), long("too-many", "1.0."+strings.Repeat("9", 125), 128),
	ends("empty", ""), ends("two", "1.0"), ends("dot-last", "1.0."), ends("pre-empty", "1.0.0-"), ends("pre-empty-last", "1.0.0-a."), ends("build-empty", "1.0.0+"),
	wrongAt("pre-empty-first", "1.0.0-.a", 6), wrongAt("build-twice", "1.0.0+a+b", 7), wrongAt("leading-zero", "01.0.0", 1), wrongAt("leading-zero-2", "1.01.0", 3), wrongAt("leading-zero-3", "1.0.00", 5),
	wrongAt("four", "1.0.0.0", 5), wrongAt("v", "v1.0.0", 0), wrongAt("blank", "1.0.0 ", 5), wrongAt("underscore", "1.0.0-a_b", 7), wrongAt("minus", "-1.0.0", 0), wrongAt("accent", "1.0.0-é", 6),
}

// transports break where no word of the list goes on.
var transports = []spelling{
	right("provider-api", "provider-api"), right("linked-device", "linked-device"),
	{"empty", "", wire.Enum, 0}, {"short", "provider-ap", wire.Enum, 11}, {"long", "provider-apis", wire.Enum, 12}, {"upper", "Provider-api", wire.Enum, 0}, {"blank", "web-session-api ", wire.Enum, 15},
	{"fold", "lin\u212aed-device", wire.Enum, 3}, {"mixed", "web-session-device", wire.Enum, 12},
}

// texts tries every spelling of every string member.
func (b *book) texts() {
	for _, group := range []struct {
		members   []string
		spellings []spelling
	}{
		{[]string{"/leaseId", "/runId", "/owner/token"}, uuids},
		{[]string{"/owner/bootId", "/owner/processStartId", "/containment/host/bootId", "/containment/host/processStartId",
			"/identity/bundleSha256", "/identity/descriptorSha256", "/identity/manifestSha256"}, digests},
		{[]string{"/identity/pluginId", "/identity/surfaceId"}, kebabs},
		{[]string{"/identity/adapterId"}, adapters},
		{[]string{"/identity/operation"}, operations},
		{[]string{"/identity/pluginVersion"}, versions},
		{[]string{"/identity/transport"}, transports},
	} {
		for _, pointer := range group.members {
			for _, s := range group.spellings {
				b.spelled("text", pointer, s)
			}
		}
	}
}

func (b *book) spelled(family, pointer string, s spelling) {
	doc, at := b.with(pointer, `"`+s.text+`"`)
	name, reason := family+"-"+s.name+"/"+slug(pointer), of("the value is %q", excerpt(s.text))
	if s.code == "" {
		b.accept(name, reason, doc)
		return
	}
	b.refuse(name, reason, doc, s.code, pointer, at+1+s.at)
}

func excerpt(text string) string {
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}
