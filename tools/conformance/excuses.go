package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
)

// excuses tell whether a document is of the kind that a disagreement names: what a
// validator is given in its place has to be acceptable to our decoder too.
var excuses = map[string]func(b []byte) bool{
	"duplicate-name": func(b []byte) bool { return repeats(b) && (acceptable(last(b)) || acceptable(rounded(last(b)))) },
	"rounded-number": func(b []byte) bool { return acceptable(rounded(b)) },
}

// excuse returns which disagreement allows the validator to accept b, or -1.
func excuse(allowed []disagreement, validator string, b []byte) int {
	for i, d := range allowed {
		if is := excuses[d.When]; d.Validator == validator && is != nil && is(b) {
			return i
		}
	}
	return -1
}

func acceptable(b []byte) bool { return decode(b) == "" }

// repeats reports whether an object has the same name twice: more names come in the
// text than are left once it was read.
func repeats(b []byte) bool { return colons(b) > colons(last(b)) }

// colons counts the members of all objects.
func colons(b []byte) int {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	tokens := 0
	for {
		token, err := dec.Token()
		if err != nil {
			return tokens
		}
		if _, mark := token.(json.Delim); !mark {
			tokens++
		}
	}
}

// last writes the document as a reader understands it that keeps the last of two
// members with the same name, and every number as it is.
func last(b []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}

// number finds the numbers that are members of a document.
var number = regexp.MustCompile(`("\s*:\s*)(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)`)

// rounded writes every number as the double that JavaScript takes it for.
func rounded(b []byte) []byte {
	return number.ReplaceAllFunc(b, func(found []byte) []byte {
		parts := number.FindSubmatch(found)
		value, err := strconv.ParseFloat(string(parts[2]), 64)
		if err != nil {
			return found
		}
		return strconv.AppendFloat(append([]byte{}, parts[1]...), value, 'f', -1, 64)
	})
}
