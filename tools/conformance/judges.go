package main

import (
	"bytes"
	"errors"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"containlease/gen/leasefile"
	"containlease/schema"
)

// The letters that a validator answers with.
const (
	valid   = 'y'
	invalid = 'n'
	noJSON  = '-'
	unasked = '?' // it would take too long: only refusals are expected here
)

// decode is our verdict at the value level: the code of the refusal, or nothing.
func decode(b []byte) string {
	_, err := leasefile.Decode(b)
	var refusal *leasefile.DecodeError
	if errors.As(err, &refusal) {
		return string(refusal.Code)
	}
	return ""
}

// santhosh is the validator in Go, with both versions of the lease.
type santhosh struct{ versions []*jsonschema.Schema }

func newSanthosh() (*santhosh, error) {
	v := &santhosh{}
	for _, name := range []string{"lease-v1", "lease-v2"} {
		text, _ := schema.Read(name)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource(name+".json", document); err != nil {
			return nil, err
		}
		compiled, err := compiler.Compile(name + ".json")
		if err != nil {
			return nil, err
		}
		v.versions = append(v.versions, compiled)
	}
	return v, nil
}

// hugeExponent finds numbers that this validator needs very long for, since it writes
// them out: a fifth of a second for 1e1000000.
var hugeExponent = regexp.MustCompile(`[:\[]\s*-?[0-9]+(\.[0-9]+)?[eE][+-]?0*[1-9][0-9]{3}`)

func (v *santhosh) verdict(b []byte) byte {
	if hugeExponent.Match(b) {
		return unasked
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return noJSON
	}
	for _, version := range v.versions {
		if version.Validate(value) == nil {
			return valid
		}
	}
	return invalid
}
