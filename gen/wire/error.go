package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// DecodeError says why a document was refused. Of several reasons it is the first
// in byte order. It wraps its Code.
type DecodeError struct {
	// Code is the class of the refusal.
	Code Code
	// Pointer is the JSON pointer of the value being read: of the object, where one
	// of its names is at fault. Empty means the whole document.
	Pointer string
	// Offset counts bytes from the start of the document to the first byte that
	// cannot continue a valid one; for an escape in a string, to its backslash.
	Offset int
	// Detail says in words what was expected and what was found.
	Detail string
}

// Error renders everything on one line.
func (e *DecodeError) Error() string {
	where := "the document"
	if e.Pointer != "" {
		where = e.Pointer
	}
	return fmt.Sprintf("%s: %s (byte %d): %s", e.Code, where, e.Offset, e.Detail)
}

// Unwrap returns the Code, for errors.Is.
func (e *DecodeError) Unwrap() error { return e.Code }

// within moves the pointer one level down: what was at /pid is at /owner/pid.
func (e *DecodeError) within(name string) { e.Pointer = "/" + escapePointer(name) + e.Pointer }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(name string) string { return pointerEscapes.Replace(name) }

// excerpt quotes text that a person is to see, at most 40 bytes of it.
func excerpt(text []byte) string {
	const most = 40
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%q...", text[:cut])
}

// orList joins alternatives the way people do: "a", "b" or "c".
func orList(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = fmt.Sprintf("%q", word)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
