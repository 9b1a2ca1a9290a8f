package automaton

import "errors"

// minimize drops what cannot lead to acceptance and merges states that no string
// tells apart. States are numbered in the order a breadth-first walk meets them,
// so that equal languages give equal automata.
func minimize(a *Automaton) (*Automaton, error) {
	live := a.live()
	if !live[0] {
		return nil, errors.New("it matches no string at all")
	}
	class := a.partition(live)
	m := &Automaton{}
	numbers := map[int]int{}
	var queue []int
	number := func(state int) int {
		if state == Dead || !live[state] {
			return Dead
		}
		n, ok := numbers[class[state]]
		if !ok {
			n = len(queue)
			numbers[class[state]] = n
			queue = append(queue, state)
		}
		return n
	}
	number(0)
	for i := 0; i < len(queue); i++ {
		var next [Symbols]int
		for symbol, to := range a.Next[queue[i]] {
			next[symbol] = number(to)
		}
		m.Next = append(m.Next, next)
		m.Accept = append(m.Accept, a.Accept[queue[i]])
	}
	return m, nil
}

// live tells which states can lead to acceptance.
func (a *Automaton) live() []bool {
	live := make([]bool, len(a.Next))
	copy(live, a.Accept)
	for changed := true; changed; {
		changed = false
		for state, next := range a.Next {
			for _, to := range next {
				if !live[state] && to != Dead && live[to] {
					live[state], changed = true, true
				}
			}
		}
	}
	return live
}

// partition gives two states the same class exactly if no string tells them apart:
// classes are split by what their states lead to until nothing splits any more.
func (a *Automaton) partition(live []bool) []int {
	class := make([]int, len(a.Next))
	for count := 0; ; {
		numbers := map[[Symbols + 2]int]int{}
		split := make([]int, len(a.Next))
		for state, next := range a.Next {
			signature := [Symbols + 2]int{Symbols: class[state]}
			if a.Accept[state] {
				signature[Symbols+1] = 1
			}
			for symbol, to := range next {
				signature[symbol] = Dead
				if to != Dead && live[to] {
					signature[symbol] = class[to]
				}
			}
			n, ok := numbers[signature]
			if !ok {
				n = len(numbers)
				numbers[signature] = n
			}
			split[state] = n
		}
		class = split
		if len(numbers) == count {
			return class
		}
		count = len(numbers)
	}
}

// Longest returns the largest number of characters of an accepted string, and false
// if there is none.
func (a *Automaton) Longest() (int, bool) {
	const visiting = -2
	longest := make([]int, len(a.Next)) // 0: not visited; else length + 1
	var visit func(state int) bool
	visit = func(state int) bool {
		if longest[state] != 0 {
			return longest[state] != visiting
		}
		longest[state] = visiting
		most := 1
		for _, to := range a.Next[state] {
			if to == Dead {
				continue
			}
			if !visit(to) {
				return false
			}
			most = max(most, longest[to]+1)
		}
		longest[state] = most
		return true
	}
	bounded := visit(0)
	return longest[0] - 1, bounded
}

// Free reports whether an accepted string may hold a character that JSON has to
// escape, or one beyond ASCII.
func (a *Automaton) Free() bool {
	for _, next := range a.Next {
		for symbol, to := range next {
			if to != Dead && (symbol < ' ' || symbol == '"' || symbol == '\\' || symbol == Other) {
				return true
			}
		}
	}
	return false
}
