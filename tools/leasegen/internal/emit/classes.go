package emit

import (
	"fmt"
	"slices"
	"strings"

	"containlease/tools/leasegen/internal/automaton"
)

// classes are the sets of bytes that are no simple range: membership is one load
// from a table that all patterns share, since a comparison that depends on random
// text is one that the processor cannot predict.
type classes struct{ sets [][256]bool }

// condition returns an expression that tests whether the byte is one of symbols.
func (k *classes) condition(operand string, symbols [automaton.Symbols]bool) string {
	set := bytesOf(symbols)
	if terms := ranges(operand, set); len(terms) == 1 {
		return terms[0]
	}
	return fmt.Sprintf("classes[%s]&%s != 0", operand, k.bit(symbols))
}

// bit returns the constant that stands for the set in the table.
func (k *classes) bit(symbols [automaton.Symbols]bool) string {
	set := bytesOf(symbols)
	i := slices.Index(k.sets, set)
	if i < 0 {
		i = len(k.sets)
		k.sets = append(k.sets, set)
	}
	return fmt.Sprintf("%#x", 1<<i)
}

func bytesOf(symbols [automaton.Symbols]bool) (set [256]bool) {
	for c := range set {
		set[c] = symbols[min(c, automaton.Other)]
	}
	return set
}

// ranges returns a comparison for each range of bytes in set.
func ranges(operand string, set [256]bool) []string {
	var terms []string
	for c := 0; c < 256; c++ {
		if !set[c] {
			continue
		}
		first := c
		for c < 255 && set[c+1] {
			c++
		}
		switch {
		case first == c:
			terms = append(terms, fmt.Sprintf("%s == %s", operand, byteLiteral(c)))
		case c == 255:
			terms = append(terms, fmt.Sprintf("%s >= %s", operand, byteLiteral(first)))
		default:
			terms = append(terms, fmt.Sprintf("%s <= %s && %s <= %s", byteLiteral(first), operand, operand, byteLiteral(c)))
		}
	}
	return terms
}

func byteLiteral(c int) string {
	if c > ' ' && c <= '~' {
		return fmt.Sprintf("%q", rune(c))
	}
	return fmt.Sprintf("%#02x", c)
}

// classTable prints the table.
func (e *emitter) classTable() error {
	sets := e.classes.sets
	if len(sets) == 0 {
		return nil
	}
	if len(sets) > 64 {
		return fmt.Errorf("the patterns use %d different sets of characters, more than a table of 64 bits holds", len(sets))
	}
	size := 8
	for size < len(sets) {
		size *= 2
	}
	f := &file{}
	f.p("// classes tells for each byte which of the sets of characters it belongs to:")
	for i, set := range sets {
		f.p("// %#x is %s", 1<<i, strings.Join(ranges("c", set), ", "))
	}
	f.p("var classes = [256]uint%d{", size)
	for c := range 256 {
		bits := uint64(0)
		for i := range sets {
			if sets[i][c] {
				bits |= 1 << i
			}
		}
		if bits != 0 {
			f.p("%s: %#x,", byteLiteral(c), bits)
		}
	}
	f.p("}\n")
	f.p(runSource, size)
	return e.write("classes", e.allOrigins(), f)
}

// runSource is the one loop of all matchers. It looks at eight bytes at a time and
// at their sets together: one branch that is nearly always taken the same way.
const runSource = `// run returns how many bytes at the beginning of b, up to most, are in the set.
func run(b []byte, most int, set uint%d) int {
	b = b[:min(len(b), most)]
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		c := b[n : n+8 : n+8]
		if classes[c[0]]&classes[c[1]]&classes[c[2]]&classes[c[3]]&
			classes[c[4]]&classes[c[5]]&classes[c[6]]&classes[c[7]]&set == 0 {
			break
		}
	}
	for n < len(b) && classes[b[n]]&set != 0 {
		n++
	}
	return n
}
`
