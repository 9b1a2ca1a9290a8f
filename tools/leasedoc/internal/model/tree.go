package model

import (
	"fmt"
	"slices"
	"strings"

	"containlease/lease/verdict"
)

// fact is one argument of a decision in the model: a name, its values as the model spells them, and what each means
// in the program.
type fact struct {
	name   string
	values []string // of a bool: false, true
	set    func(f *verdict.Facts, value int)
}

// expression returns decide as one Promela expression over facts: a decision tree, asked in their order, that leaves out
// every question whose answer changes nothing. base holds what the model keeps fixed.
func expression(facts []fact, base verdict.Facts, decide func(verdict.Facts) bool, indent string) string {
	return render(tree(facts, base, decide), indent)
}

// node is a decision: a leaf, or a question with one branch per distinct outcome.
type node struct {
	leaf     bool
	value    bool
	question fact
	answers  [][]int // the values that lead to each branch
	branches []*node
}

func tree(facts []fact, f verdict.Facts, decide func(verdict.Facts) bool) *node {
	if len(facts) == 0 {
		return &node{leaf: true, value: decide(f)}
	}
	n := &node{question: facts[0]}
	for v := range facts[0].values {
		g := f
		facts[0].set(&g, v)
		branch := tree(facts[1:], g, decide)
		i := slices.IndexFunc(n.branches, func(b *node) bool { return same(b, branch) })
		if i < 0 {
			i = len(n.branches)
			n.branches, n.answers = append(n.branches, branch), append(n.answers, nil)
		}
		n.answers[i] = append(n.answers[i], v)
	}
	if len(n.branches) == 1 {
		return n.branches[0]
	}
	return n
}

func same(a, b *node) bool {
	if a.leaf || b.leaf {
		return a.leaf == b.leaf && a.value == b.value
	}
	return a.question.name == b.question.name && slices.EqualFunc(a.answers, b.answers, slices.Equal) &&
		slices.EqualFunc(a.branches, b.branches, same)
}

// render prints a tree as nested conditional expressions, the last branch being the rest.
func render(n *node, indent string) string {
	if n.leaf {
		return fmt.Sprint(n.value)
	}
	s := render(n.branches[len(n.branches)-1], indent+"  ")
	for i := len(n.branches) - 2; i >= 0; i-- {
		s = fmt.Sprintf("(%s ->\n%s  %s :\n%s  %s)", n.condition(i), indent, render(n.branches[i], indent+"  "), indent, s)
	}
	return s
}

func (n *node) condition(branch int) string {
	if rest := n.others(branch); len(rest) == 1 && len(n.question.values) > 2 {
		return fmt.Sprintf("(%s) != %s", n.question.name, n.question.values[rest[0]])
	}
	var words []string
	for _, v := range n.answers[branch] {
		switch word := n.question.values[v]; word {
		case "true":
			words = append(words, "("+n.question.name+")")
		case "false":
			words = append(words, "!("+n.question.name+")")
		default:
			words = append(words, "("+n.question.name+") == "+word)
		}
	}
	return strings.Join(words, " || ")
}

// others are the values that do not lead to a branch.
func (n *node) others(branch int) []int {
	var rest []int
	for v := range n.question.values {
		if !slices.Contains(n.answers[branch], v) {
			rest = append(rest, v)
		}
	}
	return rest
}
