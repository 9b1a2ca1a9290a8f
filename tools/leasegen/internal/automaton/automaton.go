// Package automaton turns a regular expression into the smallest deterministic
// automaton that accepts the same strings.
//
// It takes a subset in which Go and ECMA-262 agree on every string, and refuses the
// rest: a schema's pattern is read by validators in both languages. All characters
// beyond ASCII are one symbol, so a pattern may allow all of them or none.
package automaton

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Symbols is the size of the alphabet: ASCII, and one symbol for everything else.
const Symbols = Other + 1

// Other is the symbol for every character beyond ASCII.
const Other = 128

// Dead stands for a transition that no accepted string takes.
const Dead = -1

// Automaton is deterministic and minimal. State 0 is where it starts; every state
// can be reached and can lead to acceptance.
type Automaton struct {
	Next   [][Symbols]int
	Accept []bool
}

// Compile checks that the pattern is in the subset and compiles it.
func Compile(pattern string) (*Automaton, error) {
	if err := check(pattern); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse("(?:"+pattern[1:len(pattern)-1]+")", syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	a, err := determinize(prog)
	if err != nil {
		return nil, err
	}
	return minimize(a)
}

// determinize is the subset construction over the compiled program.
func determinize(prog *syntax.Prog) (*Automaton, error) {
	a := &Automaton{}
	numbers := map[string]int{}
	var sets [][]int
	number := func(set []int) int {
		if len(set) == 0 {
			return Dead
		}
		key := fmt.Sprint(set)
		if n, ok := numbers[key]; ok {
			return n
		}
		numbers[key] = len(sets)
		sets = append(sets, set)
		return len(sets) - 1
	}
	number(closure(prog, []int{prog.Start}))
	for i := 0; i < len(sets); i++ {
		var next [Symbols]int
		for symbol := range Symbols {
			after, err := step(prog, sets[i], symbol)
			if err != nil {
				return nil, err
			}
			next[symbol] = number(closure(prog, after))
		}
		a.Next = append(a.Next, next)
		a.Accept = append(a.Accept, slices.ContainsFunc(sets[i], func(pc int) bool { return prog.Inst[pc].Op == syntax.InstMatch }))
	}
	return a, nil
}

// closure follows everything that consumes no character; the result is sorted and
// holds only instructions that do, or accept.
func closure(prog *syntax.Prog, from []int) []int {
	seen := map[int]bool{}
	var set []int
	for todo := slices.Clone(from); len(todo) > 0; {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, int(inst.Out), int(inst.Arg))
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, int(inst.Out))
		case syntax.InstFail:
		default:
			set = append(set, pc)
		}
	}
	slices.Sort(set)
	return set
}

func step(prog *syntax.Prog, set []int, symbol int) ([]int, error) {
	var after []int
	for _, pc := range set {
		inst := &prog.Inst[pc]
		if inst.Op == syntax.InstMatch {
			continue
		}
		matches := symbol < Other && inst.MatchRune(rune(symbol))
		if symbol == Other {
			var err error
			if matches, err = matchesOther(inst); err != nil {
				return nil, err
			}
		}
		if matches {
			after = append(after, int(inst.Out))
		}
	}
	return after, nil
}

// matchesOther reports whether inst takes the characters beyond ASCII.
func matchesOther(inst *syntax.Inst) (bool, error) {
	if inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL {
		return true, nil
	}
	last := len(inst.Rune) - 1
	if last < 0 || inst.Rune[last] < utf8.RuneSelf {
		return false, nil
	}
	if last > 0 && inst.Rune[last] == unicode.MaxRune && inst.Rune[last-1] <= utf8.RuneSelf {
		return true, nil
	}
	return false, fmt.Errorf("it treats some characters beyond ASCII differently from others")
}
