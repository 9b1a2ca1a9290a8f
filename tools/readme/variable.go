package main

import (
	"regexp"
	"slices"
	"strings"
)

// variable is the table of what cannot be the same in two sessions: each is compared by its kind alone. The first that
// matches at a place counts.
var variable = []struct{ kind, pattern string }{
	{"home", `/home/you\b|/[^ ']*/containlease-readme-[0-9]+/home\b`},
	{"id", `\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`},
	{"digest", `\b[0-9a-f]{64}\b`},
	{"time", `\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`},
	{"clock", `\b\d\d:\d\d:\d\d\b`},
	{"revision", `\b[0-9a-f]{12}(?:[0-9a-f]{28})?(?:-dirty)?\b`},
	{"pid", `\bpid +\d+\b`},
	{"pids", `\b\d+ {2,}(?:\d+|-) {2,}`}, // of owner and host, in a list
	{"gap", ` {2,}`},                     // columns are as wide as the widest number in them
	{"dead", `no such process|zombie`},
}

var variables = func() *regexp.Regexp {
	var patterns []string
	for _, v := range variable {
		patterns = append(patterns, "("+v.pattern+")")
	}
	return regexp.MustCompile(strings.Join(patterns, "|"))
}()

// likeness is text with everything variable replaced by its kind.
func likeness(text string) (like string, values []string) {
	var b strings.Builder
	last := 0
	for _, m := range variables.FindAllStringSubmatchIndex(text, -1) {
		group := slices.IndexFunc(m[2:], func(at int) bool { return at >= 0 }) / 2
		b.WriteString(text[last:m[0]] + "<" + variable[group].kind + ">")
		values = append(values, text[m[0]:m[1]])
		last = m[1]
	}
	return b.String() + text[last:], values
}

// learn reports whether shown and actual say the same, and then keeps which value stands for which.
func (s *session) learn(shown, actual string) bool {
	likeShown, valuesShown := likeness(shown)
	likeActual, valuesActual := likeness(actual)
	if likeShown != likeActual {
		return false
	}
	for i, v := range valuesShown {
		if known, ok := s.shows[v]; ok && named.MatchString(v) && known != valuesActual[i] {
			return false // one name for two things
		}
		if named.MatchString(v) {
			s.shows[v] = valuesActual[i]
		}
	}
	return true
}

// named is what a reader copies from one output into the next command.
var named = regexp.MustCompile(`^[0-9a-f-]{36}$|^[0-9a-f]{64}$`)

// translate replaces every name in text by what it stands for.
func translate(text string, names pairs) string {
	var all []string
	for from, to := range names {
		all = append(all, from, to)
	}
	return strings.NewReplacer(all...).Replace(text)
}

func reversed(p pairs) pairs {
	out := pairs{}
	for from, to := range p {
		out[to] = from
	}
	return out
}
