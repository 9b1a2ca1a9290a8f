package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// told are the commands that a text has people type: after "next", at the beginning of a line,
// between backquotes.
var told = regexp.MustCompile("(?m)(?:next:?\\s+|^\\s*(?:or:?\\s+)?|`)" +
	"((?:containlease|kill|rm|mv|echo|chmod|chown) [^`\n]+)")

func commandsIn(text string) (all []string) {
	for _, m := range told.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.TrimSpace(m[1]))
	}
	return all
}

// nextIn collects the commands in JSON: every "next", wherever it stands.
func nextIn(text string) (all []string) {
	var root any
	if json.Unmarshal([]byte(text), &root) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if next, ok := v["next"].(string); ok && next != "" {
				all = append(all, next)
			}
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(root)
	return all
}

// collect has everything printed that can be printed of the home, and returns all commands in it,
// each once. A run that is refused prints too; if it is not, it ends soon.
func (r *round) collect() []string {
	var all []string
	for _, args := range [][]string{{"list"}, {"doctor"}} {
		text := r.typed(args...)
		data := r.typed(append([]string{"--output", "json"}, args...)...)
		all = append(all, append(commandsIn(text.out+text.said), nextIn(data.out)...)...)
	}
	for _, l := range r.listed() {
		text := r.typed("show", "--", l.LeaseID)
		all = append(all, commandsIn(text.out+text.said)...)
	}
	for _, v := range r.all {
		if v.ended() {
			all = append(all, commandsIn(v.said())...)
		}
	}
	all = append(all, r.blocked()...)
	slices.Sort(all)
	return slices.Compact(all)
}

// blocked types run, and returns the commands that it prints.
func (r *round) blocked() []string {
	v := r.run(r.self, "subreaper", brief(r.r), "--grace", "0s")
	<-v.done
	r.tell("it ended with %s: %s", v.cmd.ProcessState, v.said())
	return commandsIn(v.said())
}
