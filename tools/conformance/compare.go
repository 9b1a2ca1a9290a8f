package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// disagreement allows a validator to accept what we refuse, in documents that excuses
// knows under the name in When.
type disagreement struct{ Validator, When, Reason string }

func readDisagreements(dir string) ([]disagreement, error) {
	text, err := os.ReadFile(filepath.Join(dir, "disagreements.json"))
	if err != nil {
		return nil, err
	}
	var all []disagreement
	return all, json.Unmarshal(text, &all)
}

// tally counts how a validator's answers relate to ours.
type tally struct{ accept, refuse, unasked, surprises int }

// compare prints how the validator and the decoder agree, and returns how often they
// do not where they must.
func compare(out io.Writer, name string, s *subjects, ours []string, letters []byte, allowed []disagreement, took time.Duration) int {
	const shown = 5
	var t tally
	excused := make([]int, len(allowed))
	s.each(func(i int, b []byte) {
		accepted := letters[i] == valid
		switch {
		case letters[i] == unasked && ours[i] != "":
			t.unasked++
		case letters[i] != unasked && accepted && ours[i] == "":
			t.accept++
		case letters[i] != unasked && !accepted && ours[i] != "":
			t.refuse++
		default:
			if d := excuse(allowed, name, b); accepted && d >= 0 {
				excused[d]++
				return
			}
			if t.surprises++; t.surprises <= shown {
				fmt.Fprintf(out, "%s says %c, we say %q: %q\n", name, letters[i], ours[i], b)
			}
		}
	})
	fmt.Fprintf(out, "%s: %d accepted by both, %d refused by both, %d disagreements, in %.1f s\n", name, t.accept, t.refuse, t.surprises, took.Seconds())
	if t.unasked > 0 {
		fmt.Fprintf(out, "%s: %d not asked: an exponent of four digits or more takes it too long; refused by us\n", name, t.unasked)
	}
	for d, n := range excused {
		if n > 0 {
			fmt.Fprintf(out, "%s: %d accepted, refused by us (%s): %s\n", name, n, allowed[d].When, allowed[d].Reason)
		}
	}
	return t.surprises
}
