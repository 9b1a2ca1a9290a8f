package wire

import (
	"fmt"
	"strings"
)

// name reads the name of a member and returns its index in the shape.
func (s *Scanner) name(o *Object) (int, bool) {
	start := s.pos
	i, bad := s.word(o.shape.Keys, o.open)
	if bad < 0 || s.err != nil {
		return i, s.err == nil
	}
	s.pos = start
	code, detail := o.judge(s.glimpse())
	if s.pos = bad; s.badText(bad) {
		code, detail = UTF8, "expected a name, found "+s.found(bad)
	}
	s.fail(code, bad, detail)
	return 0, false
}

// judge says why a name cannot come next.
func (o *Object) judge(name []byte) (Code, string) {
	for i, known := range o.shape.Keys {
		switch {
		case string(name) != known:
		case o.seen>>i&1 == 1:
			return DuplicateKey, fmt.Sprintf("the name %q comes a second time", known)
		default:
			return UnknownKey, fmt.Sprintf("the name %q does not go with what the object says before", known)
		}
	}
	for _, known := range o.shape.Keys {
		if strings.EqualFold(string(name), known) {
			return UnknownKey, fmt.Sprintf("the name %s has no place here; %q is spelled in exactly this case", excerpt(name), known)
		}
	}
	return UnknownKey, fmt.Sprintf("the name %s has no place here", excerpt(name))
}

// word reads a string that must be one of those words whose bit is set in allowed,
// and returns its index. bad is the offset where none of them can go on, or -1.
// A string that is broken as such stops the Scanner.
func (s *Scanner) word(words []string, allowed uint32) (index, bad int) {
	if i, ok := s.plain(words, allowed); ok {
		return i, -1
	}
	s.pos++
	s.scratch = s.scratch[:0]
	for {
		at := s.pos
		if s.peek() == '"' {
			for i, word := range words {
				if allowed>>i&1 == 1 && word == string(s.scratch) {
					s.pos++
					return i, -1
				}
			}
			return 0, at
		}
		if !s.char() {
			return 0, -1
		}
		if !anyPrefix(words, allowed, s.scratch) {
			return 0, at
		}
	}
}

// plain is word for a string without escapes. It changes nothing if it fails.
func (s *Scanner) plain(words []string, allowed uint32) (int, bool) {
	rest := s.data[s.pos:]
	for i, word := range words {
		n := len(word)
		if len(rest) >= n+2 && rest[0] == '"' && rest[n+1] == '"' && string(rest[1:n+1]) == word && allowed>>i&1 == 1 {
			s.pos += n + 2
			return i, true
		}
	}
	return 0, false
}

func anyPrefix(words []string, allowed uint32, prefix []byte) bool {
	for i, word := range words {
		if allowed>>i&1 == 1 && len(word) >= len(prefix) && word[:len(prefix)] == string(prefix) {
			return true
		}
	}
	return false
}

// glimpse decodes the beginning of the string at the current byte, for a message.
func (s *Scanner) glimpse() []byte {
	const most = 128
	look := Scanner{data: s.data, pos: s.pos + 1}
	for len(look.scratch) < most && look.peek() != '"' && look.char() {
	}
	return look.scratch
}

// Vocabulary is a closed list of strings.
type Vocabulary struct {
	// Words are the strings, at most 32.
	Words []string
	// Expect names the list as a whole, for messages.
	Expect string
}

// Enum reads a string that is one of the words, and returns it as written there.
func (s *Scanner) Enum(v *Vocabulary) string {
	i, ok := s.oneOf(v, 1<<len(v.Words)-1)
	if !ok {
		return ""
	}
	return v.Words[i]
}

// oneOf reads one of the words whose bit is set in allowed.
func (s *Scanner) oneOf(v *Vocabulary, allowed uint32) (int, bool) {
	if s.err != nil {
		return 0, false
	}
	if i, ok := s.plain(v.Words, allowed); ok {
		return i, true
	}
	return s.slowOneOf(v, allowed)
}

func (s *Scanner) slowOneOf(v *Vocabulary, allowed uint32) (int, bool) {
	if s.peek() != '"' {
		s.failValue(v.expect(allowed))
		return 0, false
	}
	i, bad := s.word(v.Words, allowed)
	if bad >= 0 {
		code := Enum
		if allowed&(allowed-1) == 0 {
			code = Const
		}
		s.expected(code, bad, v.expect(allowed))
	}
	return i, s.err == nil
}

func (v *Vocabulary) expect(allowed uint32) string {
	var words []string
	for i, word := range v.Words {
		if allowed>>i&1 == 1 {
			words = append(words, word)
		}
	}
	return v.Expect + ": " + orList(words)
}
