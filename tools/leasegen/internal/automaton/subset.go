package automaton

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The tokens of the subset, outside and inside brackets. An escape stands only
// before a character that has a meaning of its own: ECMA-262 in Unicode mode, which
// JSON Schema asks for, refuses any other.
var (
	token      = regexp.MustCompile(`^(?:\\x[0-9A-Fa-f]{2}|\\[\^$\\.*+?()\[\]{}|/]|\(\?:|[(|)]|[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\}|\[\^?|[^\\.*+?()\[\]{}|^$])`)
	classToken = regexp.MustCompile(`^(?:` + classChar + `-` + classChar + `|` + classChar + `)`)
	quantifier = regexp.MustCompile(`^[*+?{]`)
)

const classChar = `(?:\\x[0-9A-Fa-f]{2}|\\[\^\\\]\-]|[^\\\[\]^-])`

// check refuses a pattern outside the subset.
func check(pattern string) error {
	for i := range len(pattern) {
		if c := pattern[i]; c < ' ' || c > '~' {
			return errors.New("it has a character that is not printable ASCII; write \\xHH")
		}
	}
	body, begins := strings.CutPrefix(pattern, "^")
	body, ends := strings.CutSuffix(body, "$")
	if !begins || !ends {
		return errors.New("it must be anchored as ^...$")
	}
	depth := 0
	quantified := true // nothing to repeat yet
	for rest := body; rest != ""; {
		part := token.FindString(rest)
		switch {
		case part == "":
			return fmt.Errorf("the two languages may read %q differently, or one refuses it", rest)
		case part == "|" && depth == 0:
			return errors.New("put alternatives in parentheses: ^ and $ bind tighter than |")
		case quantifier.MatchString(part) && quantified:
			return fmt.Errorf("nothing to repeat before %q", rest)
		}
		depth += strings.Count(part[:1], "(") - strings.Count(part[:1], ")")
		quantified = quantifier.MatchString(part) || part == "|" || part[0] == '('
		rest = rest[len(part):]
		if part[0] == '[' {
			var err error
			if rest, err = checkClass(rest); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkClass checks what stands between brackets and returns what follows them.
func checkClass(rest string) (string, error) {
	for empty := true; ; empty = false {
		if after, closed := strings.CutPrefix(rest, "]"); closed {
			if empty {
				return "", errors.New("the two languages read empty brackets differently")
			}
			return after, nil
		}
		if strings.HasPrefix(rest, "-]") && !empty {
			rest = rest[1:] // a hyphen that ends the class stands for itself
			continue
		}
		part := classToken.FindString(rest)
		if part == "" {
			return "", fmt.Errorf("the two languages may read %q in brackets differently, or one refuses it", rest)
		}
		rest = rest[len(part):]
	}
}
