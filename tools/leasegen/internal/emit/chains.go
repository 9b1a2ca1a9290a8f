package emit

import "containlease/tools/leasegen/internal/automaton"

// findChains covers all states with chains, most of them of one state, in the order
// of their first states.
func findChains(a *automaton.Automaton) []chain {
	indegree := make([]int, len(a.Next)) // edges, not symbols
	indegree[0] = 1                      // the start is entered from outside
	for state := range a.Next {
		for _, edge := range edges(a, state) {
			indegree[edge.to]++
		}
	}
	used := make([]bool, len(a.Next))
	var chains []chain
	for state := range a.Next {
		if !used[state] {
			c := longestChain(a, state, used, indegree)
			for _, s := range c.states {
				used[s] = true
			}
			chains = append(chains, c)
		}
	}
	return chains
}

// longestChain tries each edge of the state as the step of a chain.
func longestChain(a *automaton.Automaton, state int, used []bool, indegree []int) chain {
	list := edges(a, state)
	best := chain{states: []int{state}, others: list, accept: a.Accept[state]}
	for i, step := range list {
		c := chain{states: []int{state}, step: step, accept: a.Accept[state]}
		c.others = append(c.others, list[:i]...)
		c.others = append(c.others, list[i+1:]...)
		for next := step.to; !used[next] && indegree[next] == 1 && c.takes(a, next); next = c.step.to {
			c.states = append(c.states, next)
		}
		if len(c.states) > 1 && len(c.states) > len(best.states) {
			best = c
		}
	}
	return best
}

// takes reports whether state continues the chain, and moves the step on.
func (c *chain) takes(a *automaton.Automaton, state int) bool {
	list := edges(a, state)
	if a.Accept[state] != c.accept || len(list) != len(c.others)+1 {
		return false
	}
	var step *edge
	for i := range list {
		switch {
		case list[i].symbols == c.step.symbols:
			step = &list[i]
		case !contains(c.others, list[i]):
			return false
		}
	}
	if step == nil || contains(c.others, *step) {
		return false
	}
	c.step.to = step.to
	return true
}

func contains(list []edge, wanted edge) bool {
	for _, edge := range list {
		if edge == wanted {
			return true
		}
	}
	return false
}
