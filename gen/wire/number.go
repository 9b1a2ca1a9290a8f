package wire

import "fmt"

// number is a decimal number as far as it has been read: digits without the point
// and, after the exponent's letter, the exponents that would make it valid.
type number struct {
	bounds   *Int
	digits   int64 // all digits so far as one integer, saturating at limit
	trimmed  int64 // the same without its trailing zeros
	exponent int   // of the last digit of trimmed
	zeros    int   // trailing zeros: digits = trimmed * 10^zeros
}

const limit = int64(1) << 53

// add appends a digit; fraction tells whether it stands behind the point.
func (n *number) add(digit int64, fraction bool) {
	n.digits = min(n.digits*10+digit, limit)
	n.zeros++
	if !fraction {
		n.exponent++
	}
	if digit == 0 {
		return
	}
	for range n.zeros - 1 {
		n.trimmed = min(n.trimmed*10, limit)
	}
	n.trimmed = min(n.trimmed*10+digit, limit)
	n.exponent -= n.zeros
	n.zeros = 0
}

// window returns the powers of ten that bring trimmed into the bounds; lo > hi
// means there are none.
func (n *number) window() (lo, hi int) {
	lo, hi = 0, -1
	if n.trimmed == 0 {
		return lo, hi
	}
	for power, value := 0, n.trimmed; value <= n.bounds.Max; power, value = power+1, value*10 {
		if value < n.bounds.Min {
			lo = power + 1
		} else {
			hi = power
		}
	}
	return lo, hi
}

// viable reports whether more digits or an exponent can still make it valid.
func (n *number) viable() bool {
	if n.digits == 0 {
		return true
	}
	if lo, hi := n.window(); lo <= hi {
		return true
	}
	for first, last := n.digits, n.digits; first <= n.bounds.Max; first, last = first*10, last*10+9 {
		if last >= n.bounds.Min {
			return true
		}
	}
	return false
}

// slowInteger reads a number in any spelling, one byte at a time, and stops at the
// first that cannot belong to an integer within the bounds. Neither many digits nor
// a huge exponent cost more than reading them.
func (s *Scanner) slowInteger(d *Int) int64 {
	c := s.peek()
	if c == '-' {
		s.expected(d.code(), s.pos, d.Expect)
		return 0
	}
	if c-'0' > 9 {
		s.failValue(d.Expect)
		return 0
	}
	n := number{bounds: d}
	if c == '0' {
		s.loose = true
		n.add(0, false)
		s.pos++
		if s.peek()-'0' <= 9 {
			s.expected(Syntax, s.pos, "no digit after a leading zero")
			return 0
		}
	} else if !s.digits(&n, false) {
		return 0
	}
	if s.peek() == '.' {
		s.loose = true
		s.pos++
		if s.peek()-'0' > 9 {
			s.expected(Syntax, s.pos, "a digit")
			return 0
		}
		if !s.digits(&n, true) {
			return 0
		}
	}
	return s.exponent(&n)
}

// digits reads digits as long as they can lead to a valid number.
func (s *Scanner) digits(n *number, fraction bool) bool {
	for ; s.peek()-'0' <= 9; s.pos++ {
		digit := int64(s.peek() - '0')
		n.add(digit, fraction)
		if digit != 0 && !n.viable() {
			s.expected(n.bounds.code(), s.pos, n.bounds.Expect)
			return false
		}
	}
	return true
}

// exponent reads the exponent, if there is one, and yields the value.
func (s *Scanner) exponent(n *number) int64 {
	lo, hi := n.window()
	lo, hi = lo-n.exponent, hi-n.exponent
	power := 0
	if s.peek()|0x20 == 'e' {
		s.loose = true
		var ok bool
		if power, ok = s.power(n, lo, hi); !ok {
			return 0
		}
	}
	if power < lo || power > hi {
		code := n.bounds.code()
		if n.trimmed != 0 && power < -n.exponent {
			code = WrongType // a fraction
		}
		s.expected(code, s.pos, n.bounds.Expect)
		return 0
	}
	value := n.trimmed
	for range power + n.exponent {
		value *= 10
	}
	return value
}

// power reads the letter, sign and digits of an exponent that must come to lie
// between lo and hi.
func (s *Scanner) power(n *number, lo, hi int) (int, bool) {
	refuse := func() (int, bool) {
		s.expected(n.bounds.code(), s.pos, fmt.Sprintf("%s; no such exponent leads to it", n.bounds.Expect))
		return 0, false
	}
	if lo > hi {
		return refuse()
	}
	s.pos++
	sign := 1
	switch c := s.peek(); {
	case c == '-' && lo > 0, c != '-' && (c == '+' || c-'0' <= 9) && hi < 0:
		return refuse()
	case c == '-':
		sign, lo, hi = -1, -hi, -lo
		s.pos++
	case c == '+':
		s.pos++
	}
	if s.peek()-'0' > 9 {
		s.expected(Syntax, s.pos, "a digit of the exponent")
		return 0, false
	}
	power := 0
	for ; s.peek()-'0' <= 9; s.pos++ {
		power = power*10 + int(s.peek()-'0')
		if !leadsInto(power, lo, hi) {
			return refuse()
		}
	}
	return sign * power, true
}

// leadsInto reports whether prefix, with more digits behind it, can lie in lo..hi.
func leadsInto(prefix, lo, hi int) bool {
	for first, last := prefix, prefix; first <= hi; first, last = first*10, last*10+9 {
		if last >= lo {
			return true
		}
		if first == 0 {
			return hi >= 0
		}
	}
	return false
}
