package wire

import "unicode/utf8"

// Text describes a string by its pattern.
type Text struct {
	// Match runs the pattern over the beginning of b and returns how many bytes it
	// could follow, and whether it matches them as a whole. It never passes a double
	// quote or a backslash unless Free is set.
	Match func(b []byte) (n int, ok bool)
	// Max is the largest number of characters. A string that it leaves no room to
	// complete is refused where it ends, not where it became hopeless.
	Max int
	// Free means that characters may occur which JSON escapes or which are not
	// ASCII: the string must be decoded before it is matched.
	Free bool
	// Expect names the string, for messages.
	Expect string
}

// String reads a string that t describes.
func (s *Scanner) String(t *Text) string {
	if s.err != nil {
		return ""
	}
	rest := s.data[s.pos:]
	if len(rest) > 0 && rest[0] == '"' && !t.Free {
		rest = rest[1:]
		n, ok := t.Match(rest[:min(len(rest), t.Max+1)])
		if ok && n <= t.Max && n < len(rest) && rest[n] == '"' {
			s.pos += n + 2
			return s.keep(rest[:n])
		}
	}
	return s.slowString(t)
}

// slowString decodes first and matches then. The decoded text ends where the
// string ends, breaks, or is too long; so the pattern is asked about everything
// before that point, and the earliest objection wins.
func (s *Scanner) slowString(t *Text) string {
	if s.peek() != '"' {
		s.failValue(t.Expect)
		return ""
	}
	start := s.pos
	s.pos++
	s.scratch = s.scratch[:0]
	for chars := 0; s.peek() != '"' && s.char(); chars++ {
		if chars == t.Max {
			break
		}
	}
	broken, end := s.err, s.pos
	s.err = nil
	n, ok := t.Match(s.scratch)
	closed := broken == nil && end < len(s.data) && s.data[end] == '"'
	switch {
	case utf8.RuneCount(s.scratch) > t.Max && utf8.RuneCount(s.scratch[:n]) >= t.Max:
		s.expected(Length, s.offsetOf(start, t.Max), t.Expect)
	case n < len(s.scratch):
		s.expected(Pattern, s.offsetOf(start, utf8.RuneCount(s.scratch[:n])), t.Expect)
	case broken != nil:
		s.err = broken
	case !ok || !closed:
		s.expected(Pattern, end, t.Expect)
	default:
		s.pos++
		return s.keep(s.scratch)
	}
	return ""
}

// offsetOf returns the offset of a character of the string that begins at start.
func (s *Scanner) offsetOf(start, char int) int {
	look := Scanner{data: s.data, pos: start + 1}
	for range char {
		look.char()
	}
	return look.pos
}
