package wire

import "strconv"

// Int describes an integer. Its least value is at least 1, which is why no sign and
// no lone zero can begin one.
type Int struct {
	// Min and Max are the bounds, both included; Max is below 2^53.
	Min, Max int64
	// Expect names the integer, for messages.
	Expect string
}

// Integer reads an integer that d describes, by its exact decimal value.
func (s *Scanner) Integer(d *Int) int64 {
	if s.err != nil {
		return 0
	}
	const most = 16 // digits of 2^53; cannot overflow
	rest := s.data[s.pos:]
	var value int64
	n := 0
	for n < len(rest) && n < most && rest[n]-'0' <= 9 {
		value = value*10 + int64(rest[n]-'0')
		n++
	}
	if n > 0 && n < len(rest) && rest[0] != '0' && value >= d.Min && value <= d.Max && (rest[n] == ',' || rest[n] == '}') {
		s.pos += n
		return value
	}
	return s.slowInteger(d)
}

// code is the class of a number outside the bounds.
func (d *Int) code() Code {
	if d.Min == d.Max {
		return Const
	}
	return Range
}

// Boolean reads true or false.
func (s *Scanner) Boolean() bool {
	if s.err != nil {
		return false
	}
	switch s.peek() {
	case 't':
		return s.literal("true")
	case 'f':
		s.literal("false")
	default:
		s.failValue("true or false")
	}
	return false
}

// Constant reads the one integer allowed.
func (s *Scanner) Constant(value int64) {
	s.Integer(&Int{Min: value, Max: value, Expect: strconv.FormatInt(value, 10)})
}
