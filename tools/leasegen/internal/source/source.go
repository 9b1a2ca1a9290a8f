// Package source loads schemas as invopop/jsonschema models, behind a gate that
// makes sure that nothing was lost on the way.
//
// The model drops what it does not know, matches keywords without regard to case
// and cannot hold some values; code generated from it would silently enforce less
// than the schema says. So a schema passes only if writing the model gives back
// the same JSON value, and if it consists of keywords that the generator enforces,
// spelled exactly. Everything else is an Error with its JSON pointer.
package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// Schema is a schema that passed the gate.
type Schema struct {
	Name   string // such as lease-v2
	SHA256 string // of the text, in hex
	Root   *jsonschema.Schema
}

// Load reads the text of the schema called name.
func Load(name string, text []byte) (*Schema, error) {
	tree, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	if err := checkKeywords(name, tree); err != nil {
		return nil, err
	}
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(text, root); err != nil {
		return nil, &Error{name, "", "the model cannot hold it: " + err.Error()}
	}
	if err := checkLossless(name, tree, root); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &Schema{Name: name, SHA256: hex.EncodeToString(sum[:]), Root: root}, nil
}

// checkLossless writes the model and compares the result with what was read.
func checkLossless(name string, tree any, root *jsonschema.Schema) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(root); err != nil {
		return &Error{name, "", "the model cannot be written: " + err.Error()}
	}
	again, err := parse(name, out.Bytes())
	if err != nil {
		return err
	}
	if pointer, differs := difference(tree, again, ""); differs {
		return &Error{name, pointer, "the model loses this: it reads back as something else"}
	}
	return nil
}
