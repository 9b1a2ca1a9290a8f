package wire

import "fmt"

// Null reports whether the value is null, and consumes it then.
func (s *Scanner) Null() bool {
	return s.err == nil && s.peek() == 'n' && s.literal("null")
}

// NullableInteger reads an integer that d describes, or null as nil.
func (s *Scanner) NullableInteger(d *Int) *int64 {
	if s.Null() {
		return nil
	}
	value := s.Integer(d)
	return &value
}

// NullableString reads a string that t describes, or null as nil.
func (s *Scanner) NullableString(t *Text) *string {
	if s.Null() {
		return nil
	}
	value := s.String(t)
	return &value
}

// NullIn is Null for a member of a union. null and value are the sets of variants
// in which the member may be null, and may be something else; those that the answer
// does not fit are dropped. expect names the something else.
func (s *Scanner) NullIn(o *Object, null, value uint32, expect string) bool {
	if s.err != nil {
		return false
	}
	isNull := s.peek() == 'n'
	fit := o.alive & value
	if isNull {
		fit = o.alive & null
	}
	if fit == 0 {
		if !isNull {
			expect = "null"
		}
		s.failValue(fmt.Sprintf("%s, given what the object says before", expect))
		return false
	}
	o.narrow(fit)
	return isNull && s.literal("null")
}
