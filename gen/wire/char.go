package wire

import (
	"unicode/utf16"
	"unicode/utf8"
)

// char decodes one character of a string, which is not its closing quote, and
// appends it to scratch. It returns false after an error.
func (s *Scanner) char() bool {
	c := s.peek()
	switch {
	case c == '\\':
		return s.escape()
	case c < ' ':
		s.expected(Syntax, s.pos, "a string's closing quote or a character other than a control character")
		return false
	case c < utf8.RuneSelf:
		s.scratch = append(s.scratch, c)
		s.pos++
		return true
	}
	r, size := utf8.DecodeRune(s.data[s.pos:])
	if r == utf8.RuneError && size == 1 {
		if !utf8.FullRune(s.data[s.pos:]) {
			s.pos = len(s.data) // cut off inside a character
		}
		s.expected(UTF8, s.pos, "the rest of a string in UTF-8")
		return false
	}
	s.scratch = append(s.scratch, s.data[s.pos:s.pos+size]...)
	s.pos += size
	return true
}

// simple maps the letter after a backslash to what it stands for.
var simple = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape decodes an escape. No canonical string of the common kinds has one; where
// one is needed, only rendering the value can tell whether it is spelled right.
func (s *Scanner) escape() bool {
	at := s.pos
	s.loose = true
	s.pos++
	c := s.peek()
	if plain := simple[c]; plain != 0 {
		s.scratch = append(s.scratch, plain)
		s.pos++
		return true
	}
	if c != 'u' {
		s.expected(Syntax, s.pos, `one of " \ / b f n r t u after a backslash`)
		return false
	}
	unit, ok := s.hex4()
	if !ok {
		return false
	}
	r := unit
	if utf16.IsSurrogate(r) {
		r = utf8.RuneError
		if s.peek() == '\\' && s.pos+1 < len(s.data) && s.data[s.pos+1] == 'u' {
			s.pos++
			low, ok := s.hex4()
			if !ok {
				return false
			}
			r = utf16.DecodeRune(unit, low)
		}
		if r == utf8.RuneError {
			s.fail(UTF8, at, "an escape for half of a surrogate pair stands alone: that is no character")
			return false
		}
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
	return true
}

// hex4 consumes the u of an escape and its four digits.
func (s *Scanner) hex4() (rune, bool) {
	s.pos++
	var r rune
	for range 4 {
		c := s.peek()
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			s.expected(Syntax, s.pos, "a hex digit")
			return 0, false
		}
		s.pos++
	}
	return r, true
}
