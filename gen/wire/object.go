package wire

import (
	"fmt"
	"math/bits"
)

// Shape describes an object: the names it may have, and which of them each of its
// variants has. A variant has exactly its names, no more and no less; an object
// that is no union has one variant.
type Shape struct {
	// Keys are the names in canonical order, at most 32.
	Keys []string
	// Has holds, for each variant, the set of its names: bit i stands for Keys[i].
	Has []uint32
}

// Object is the state of reading one object. Begin makes one.
type Object struct {
	// Key is the index of the name whose value comes next.
	Key   int
	shape *Shape
	seen  uint32 // names met
	open  uint32 // names that may still come
	alive uint32 // variants that everything met so far fits: bit v stands for Has[v]
}

// Begin prepares for an object of the given shape; Next reads it.
func Begin(shape *Shape) Object {
	return Object{Key: -1, shape: shape, open: 1<<len(shape.Keys) - 1, alive: 1<<len(shape.Has) - 1}
}

// Next moves to the next name of the object and past its colon, and sets o.Key.
// It returns false at the end of the object, and after an error.
func (s *Scanner) Next(o *Object) bool {
	if s.err != nil {
		if o.Key >= 0 {
			s.err.within(o.shape.Keys[o.Key])
		}
		return false
	}
	return s.foreseen(o) || s.next(o)
}

// foreseen is the fast way: the name comes in canonical order and spelling. It
// changes nothing when it returns false.
func (s *Scanner) foreseen(o *Object) bool {
	lead := byte(',')
	if o.Key < 0 {
		lead = '{'
	}
	rest := s.data[s.pos:]
	if len(rest) < 2 || rest[0] != lead || rest[1] != '"' {
		return false
	}
	rest = rest[2:]
	for i := o.Key + 1; i < len(o.shape.Keys); i++ {
		name := o.shape.Keys[i]
		n := len(name)
		if o.open>>i&1 == 0 || len(rest) < n+3 || rest[n] != '"' || string(rest[:n]) != name {
			continue
		}
		// A blank after the colon, or before it, is for the slow way.
		if rest[n+1] != ':' || rest[n+2] <= ' ' {
			return false
		}
		s.pos += n + 4
		s.take(o, i)
		return true
	}
	return false
}

// take notes that name i was met, and drops the variants that do not have it.
func (s *Scanner) take(o *Object, i int) {
	if o.seen>>i != 0 {
		s.loose = true // a name that sorts later was met before
	}
	o.Key = i
	o.seen |= 1 << i
	o.open &^= 1 << i
	if len(o.shape.Has) > 1 {
		o.narrow(o.having(i))
	}
}

// having is the set of variants that have name i.
func (o *Object) having(i int) (variants uint32) {
	for v, has := range o.shape.Has {
		variants |= has >> i & 1 << v
	}
	return variants
}

// narrow drops the variants that are not in the set.
func (o *Object) narrow(variants uint32) {
	o.alive &= variants
	o.open = 0
	for alive := o.alive; alive != 0; alive &= alive - 1 {
		o.open |= o.shape.Has[bits.TrailingZeros32(alive)]
	}
	o.open &^= o.seen
}

// next is the general way: any order, any spelling, every error.
func (s *Scanner) next(o *Object) bool {
	s.space()
	first := o.Key < 0
	switch c := s.peek(); {
	case first && c != '{':
		s.failValue("an object")
		return false
	case first:
		s.pos++
		s.space()
		if s.peek() == '}' {
			return s.end(o)
		}
	case c == '}':
		return s.end(o)
	case c != ',':
		s.expected(Syntax, s.pos, "',' or '}'")
		return false
	default:
		if !s.comma(o) {
			return false
		}
	}
	return s.member(o)
}

// member reads a name and its colon.
func (s *Scanner) member(o *Object) bool {
	if s.peek() != '"' {
		s.expected(Syntax, s.pos, "a name in double quotes")
		return false
	}
	i, ok := s.name(o)
	if !ok {
		return false
	}
	s.space()
	if s.peek() != ':' {
		s.expected(Syntax, s.pos, "':'")
		return false
	}
	s.pos++
	s.space()
	s.take(o, i)
	return true
}

// comma consumes a comma. Where no name may follow any more it is the comma that
// cannot continue the object; the name after it only gives the reason.
func (s *Scanner) comma(o *Object) bool {
	at := s.pos
	s.pos++
	s.space()
	if o.open != 0 {
		return true
	}
	code, detail := Syntax, "expected '}', found ','"
	if s.peek() == '"' {
		code, detail = o.judge(s.glimpse())
	}
	s.fail(code, at, detail)
	return false
}

// end consumes the closing brace, if the object is complete.
func (s *Scanner) end(o *Object) bool {
	if o.Variant() >= 0 {
		s.pos++
		return false
	}
	missing := o.shape.Has[bits.TrailingZeros32(o.alive)] &^ o.seen
	s.fail(MissingKey, s.pos, fmt.Sprintf("the object ends without %q", o.shape.Keys[bits.TrailingZeros32(missing)]))
	return false
}

// peek returns the current byte, or 0 at the end: no document goes on with NUL.
func (s *Scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}
