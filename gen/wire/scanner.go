package wire

import (
	"fmt"
	"unicode/utf8"
	"unsafe"
)

// Scanner reads one document. Its first error sticks: after it, every method does
// nothing and returns a zero value, so that generated code checks once.
type Scanner struct {
	data    []byte
	pos     int
	loose   bool // a spelling was met that the canonical rendering might not use
	err     *DecodeError
	text    []byte // grows inside the room given to Scan
	scratch []byte // the string read last, where it had to be decoded
}

// Scan starts reading data. Strings are copied into text as long as its capacity
// lasts; the memory must not be used for anything else afterwards.
func Scan(data, text []byte) Scanner { return Scanner{data: data, text: text[:0]} }

// Whole ends the reading: it checks that nothing but white space follows, and
// returns the error that stopped the Scanner, or nil.
func (s *Scanner) Whole() error {
	s.finish()
	if s.err != nil {
		return s.err
	}
	return nil
}

// Canonical reports whether everything so far was spelled in the only way the
// canonical rendering could have spelled it. False does not prove the contrary.
func (s *Scanner) Canonical() bool { return !s.loose }

func (s *Scanner) finish() {
	if s.err != nil || s.pos == len(s.data)-1 && s.data[s.pos] == '\n' {
		return
	}
	s.loose = true
	s.space()
	if s.pos < len(s.data) {
		s.fail(TrailingData, s.pos, "expected nothing after the document, found "+s.found(s.pos))
	}
}

// space skips white space: never part of a canonical rendering.
func (s *Scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
			s.loose = true
		default:
			return
		}
	}
}

func (s *Scanner) fail(code Code, offset int, detail string) {
	if s.err == nil {
		s.err = &DecodeError{Code: code, Offset: offset, Detail: detail}
	}
}

// kinds names the JSON type that a value has by its first byte.
var kinds = [256]string{
	'{': "an object", '[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null", '-': "a number",
	'0': "a number", '1': "a number", '2': "a number", '3': "a number", '4': "a number",
	'5': "a number", '6': "a number", '7': "a number", '8': "a number", '9': "a number",
}

// failValue refuses the value that begins at the current byte because it has the
// wrong type, or is no value at all.
func (s *Scanner) failValue(expect string) {
	if kind := kinds[s.peek()]; kind != "" {
		s.fail(WrongType, s.pos, fmt.Sprintf("expected %s, found %s", expect, kind))
		return
	}
	s.expected(Syntax, s.pos, expect)
}

// expected fails with what belongs at offset and what stands there. A byte that
// is no text at all is reported as such, whatever was expected.
func (s *Scanner) expected(code Code, offset int, expect string) {
	if offset >= len(s.data) {
		code = Syntax
	} else if s.badText(offset) {
		code = UTF8
	}
	s.fail(code, offset, fmt.Sprintf("expected %s, found %s", expect, s.found(offset)))
}

func (s *Scanner) badText(offset int) bool {
	r, size := utf8.DecodeRune(s.data[offset:])
	return r == utf8.RuneError && size == 1 || r == '\ufeff'
}

// found describes what stands at offset.
func (s *Scanner) found(offset int) string {
	if offset >= len(s.data) {
		return "the end of the document"
	}
	r, size := utf8.DecodeRune(s.data[offset:])
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02x, which is not UTF-8", s.data[offset])
	case r == '\ufeff':
		return "a byte order mark"
	default:
		return fmt.Sprintf("%q", r)
	}
}

// keep copies b to memory that outlives the document and returns it as a string.
func (s *Scanner) keep(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > cap(s.text)-len(s.text) {
		return string(b)
	}
	start := len(s.text)
	s.text = append(s.text, b...)
	// The bytes were just written and are never written again: the room only grows.
	return unsafe.String(&s.text[start], len(b))
}

// literal consumes a word such as null, which begins at the current byte.
func (s *Scanner) literal(word string) bool {
	for i := range len(word) {
		if s.pos+i >= len(s.data) || s.data[s.pos+i] != word[i] {
			s.expected(Syntax, s.pos+i, word)
			return false
		}
	}
	s.pos += len(word)
	return true
}
