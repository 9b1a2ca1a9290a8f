package vectors

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Span is where a value stands in a document, and where its member begins: at the
// quote of its name, or at the value itself for the whole document.
type Span struct {
	Pointer           string
	Name, Start, Stop int
	Object            bool
}

// Locate returns the span of every value of a document without blanks, made of
// objects and scalars, by pointer. It panics on anything else: bases are constants.
func Locate(doc []byte) map[string]Span {
	l := locator{doc: doc, dec: json.NewDecoder(bytes.NewReader(doc)), spans: map[string]Span{}}
	l.dec.UseNumber()
	l.value("", 0)
	return l.spans
}

type locator struct {
	doc   []byte
	dec   *json.Decoder
	spans map[string]Span
}

func (l *locator) token() (json.Token, int) {
	token, err := l.dec.Token()
	if err != nil {
		panic(err)
	}
	return token, int(l.dec.InputOffset())
}

func (l *locator) value(pointer string, name int) {
	start := int(l.dec.InputOffset())
	if pointer != "" {
		start++ // the colon
	}
	token, stop := l.token()
	object := token == json.Delim('{')
	for object && l.dec.More() {
		before := int(l.dec.InputOffset())
		key, _ := l.token()
		l.value(pointer+"/"+key.(string), before+bytes.IndexByte(l.doc[before:], '"'))
	}
	if object {
		_, stop = l.token()
	}
	l.spans[pointer] = Span{pointer, name, start, stop, object}
}

// Innermost returns the span of the innermost value that covers offset; outside of
// all of them it is the whole document.
func Innermost(spans map[string]Span, offset int) Span {
	best := spans[""]
	for _, span := range spans {
		if span.Start <= offset && offset < span.Stop && span.Start >= best.Start && span.Stop <= best.Stop {
			best = span
		}
	}
	return best
}

// Parent is the pointer of the object that holds the value.
func Parent(pointer string) string { return pointer[:strings.LastIndexByte(pointer, '/')] }

// Base is the last step of a pointer.
func Base(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }
