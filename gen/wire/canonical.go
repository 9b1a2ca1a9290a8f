package wire

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxFile is the largest number of bytes that a record's file may have.
const MaxFile = 32 << 10

// CheckSize refuses a file with too many bytes, before anything of it is read.
func CheckSize(b []byte) error {
	if len(b) <= MaxFile {
		return nil
	}
	return &DecodeError{Code: TooLarge, Offset: MaxFile, Detail: fmt.Sprintf("a record has at most %d bytes, this has %d", MaxFile, len(b))}
}

// CheckCanonical refuses b unless it equals its canonical rendering. The error
// points at the value where the two first differ.
func CheckCanonical(b, canonical []byte) error {
	if bytes.Equal(b, canonical) {
		return nil
	}
	at := 0
	for at < len(b) && at < len(canonical) && b[at] == canonical[at] {
		at++
	}
	have := Scanner{data: b}
	want := Scanner{data: canonical}
	return &DecodeError{
		Code: NotCanonical, Pointer: pointerAt(canonical, at), Offset: at,
		Detail: fmt.Sprintf("the value is valid, but its canonical rendering has %s here, not %s", want.found(at), have.found(at)),
	}
}

// pointerAt returns the JSON pointer of the value that a canonical rendering
// has at offset; for an offset in a name, that of the object.
func pointerAt(canonical []byte, offset int) string {
	var names []string // of the members that enclose the current byte
	s := Scanner{data: canonical}
	for s.pos < offset {
		switch s.peek() {
		case '"':
			s.pos++
			s.scratch = s.scratch[:0]
			for s.peek() != '"' && s.char() {
			}
			s.pos++
			if s.peek() == ':' && s.pos < offset {
				names[len(names)-1] = "/" + escapePointer(string(s.scratch))
			}
		case '{':
			names = append(names, "")
			s.pos++
		case '}':
			names = names[:len(names)-1]
			s.pos++
		case ',':
			names[len(names)-1] = ""
			s.pos++
		default:
			s.pos++
		}
	}
	return strings.Join(names, "")
}
