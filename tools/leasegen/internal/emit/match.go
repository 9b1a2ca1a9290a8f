package emit

import (
	"fmt"

	"containlease/tools/leasegen/internal/automaton"
	"containlease/tools/leasegen/internal/ir"
)

// edge is all symbols that lead from one state to the same other.
type edge struct {
	to      int
	symbols [automaton.Symbols]bool
}

// edges returns the edges of a state in the order of their first symbol.
func edges(a *automaton.Automaton, state int) []edge {
	var list []edge
	at := map[int]int{}
	for symbol, to := range a.Next[state] {
		if to == automaton.Dead {
			continue
		}
		if _, ok := at[to]; !ok {
			at[to] = len(list)
			list = append(list, edge{to: to})
		}
		list[at[to]].symbols[symbol] = true
	}
	return list
}

// chain is a run of states that differ only in how many more of the same symbols
// may come: [0-9a-f]{64} is one chain and not 64 states.
type chain struct {
	states []int
	step   edge   // from each state to the next; to is where the last one leads
	others []edge // leave the chain, from every state alike
	accept bool
}

// automaton prints the matcher: a label for each state or chain, and jumps.
func (e *emitter) automaton(f *file, t *ir.Text) {
	chains := findChains(t.DFA)
	label := map[int]string{}
	targets := map[int]bool{}
	for _, c := range chains {
		label[c.states[0]] = fmt.Sprintf("s%d", c.states[0])
	}
	for i, c := range chains {
		for _, edge := range c.others {
			if edge.to != c.states[0] || edge.symbols[automaton.Other] {
				targets[edge.to] = true
			}
		}
		if len(c.states) > 1 && !follows(chains, i, c.step.to) {
			targets[c.step.to] = true
		}
	}
	counted := false
	for _, c := range chains {
		counted = counted || len(c.states) > 1
	}
	f.comment("", fmt.Sprintf("match%s runs %s over b.", t.Name, t.Pattern))
	f.p("func match%s(b []byte) (i int, ok bool) {", t.Name)
	if counted {
		f.p("var n int")
	}
	for i, c := range chains {
		if targets[c.states[0]] {
			f.p("%s:", label[c.states[0]])
		}
		if len(c.states) == 1 {
			e.printState(f, c, label)
		} else {
			e.printChain(f, c, label, follows(chains, i, c.step.to))
		}
	}
	f.p("}\n")
}

// follows reports whether state is printed right behind chain i.
func follows(chains []chain, i, state int) bool {
	return i+1 < len(chains) && chains[i+1].states[0] == state
}

// printState prints a state that is no chain. One that leads to itself is passed
// in one go, as far as the text allows.
func (e *emitter) printState(f *file, c chain, label map[int]string) {
	var leave []edge
	for _, edge := range c.others {
		if edge.to == c.states[0] && !edge.symbols[automaton.Other] {
			f.p("i += run(b[i:], len(b), %s)", e.classes.bit(edge.symbols))
		} else {
			leave = append(leave, edge)
		}
	}
	e.printLeave(f, leave, label)
	f.p("return i, %t", c.accept)
}

// printChain passes as many states of the chain as the text has symbols for, and
// looks for another way out only where it stopped.
func (e *emitter) printChain(f *file, c chain, label map[int]string, follows bool) {
	length := len(c.states)
	f.p("n = run(b[i:], %d, %s)\ni += n\nif n < %d {", length, e.classes.bit(c.step.symbols), length)
	e.printLeave(f, c.others, label)
	f.p("return i, %t\n}", c.accept)
	if !follows {
		f.p("goto %s", label[c.step.to])
	}
}

func (e *emitter) printLeave(f *file, leave []edge, label map[int]string) {
	if len(leave) == 0 {
		return
	}
	f.p("if i < len(b) {\nswitch c := b[i]; {")
	for _, edge := range leave {
		e.printCase(f, edge, "goto "+label[edge.to])
	}
	f.p("}\n}")
}

// printCase prints what to do for the symbols of an edge; a character beyond ASCII
// is passed as a whole.
func (e *emitter) printCase(f *file, edge edge, action string) {
	f.p("case %s:", e.classes.condition("c", edge.symbols))
	if edge.symbols[automaton.Other] {
		f.std = []string{"unicode/utf8"}
		f.p("_, size := utf8.DecodeRune(b[i:])\ni += size")
	} else {
		f.p("i++")
	}
	f.p("%s", action)
}
