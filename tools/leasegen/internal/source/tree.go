package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Error refuses a schema at one place.
type Error struct {
	Schema  string // its name, such as lease-v2
	Pointer string // JSON pointer of the place; empty for the whole schema
	Reason  string
}

func (e *Error) Error() string {
	where := e.Pointer
	if where == "" {
		where = "the whole schema"
	}
	return fmt.Sprintf("%s.schema.json: %s: %s", e.Schema, where, e.Reason)
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Join appends one step to a JSON pointer.
func Join(pointer, step string) string { return pointer + "/" + pointerEscapes.Replace(step) }

// parse reads one JSON value into map[string]any, []any, string, json.Number, bool
// and nil, and refuses what encoding/json lets pass: the same name twice, and
// anything behind the value.
func parse(schema string, text []byte) (any, error) {
	p := parser{schema: schema, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	value, err := p.value("")
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); err != io.EOF {
		return nil, &Error{schema, "", "something follows the schema"}
	}
	return value, nil
}

type parser struct {
	schema string
	dec    *json.Decoder
}

func (p *parser) value(pointer string) (any, error) {
	token, err := p.dec.Token()
	if err != nil {
		return nil, &Error{p.schema, pointer, "it is not JSON: " + err.Error()}
	}
	switch token {
	case json.Delim('{'):
		return p.object(pointer)
	case json.Delim('['):
		return p.array(pointer)
	}
	return token, p.intact(pointer, token)
}

// intact refuses text in which encoding/json put the replacement character for bytes
// that are no UTF-8 or half a surrogate pair: what the schema said there is lost.
func (p *parser) intact(pointer string, token json.Token) error {
	if text, ok := token.(string); ok && strings.ContainsRune(text, utf8.RuneError) {
		return &Error{p.schema, pointer, "the text is not Unicode, or holds the replacement character"}
	}
	return nil
}

func (p *parser) object(pointer string) (any, error) {
	object := map[string]any{}
	for p.dec.More() {
		token, err := p.dec.Token()
		if err != nil {
			return nil, &Error{p.schema, pointer, "it is not JSON: " + err.Error()}
		}
		name := token.(string) // the decoder gives nothing else here
		at := Join(pointer, name)
		if err := p.intact(pointer, name); err != nil {
			return nil, err
		}
		if _, twice := object[name]; twice {
			return nil, &Error{p.schema, at, "the name stands here twice; which one counts depends on the reader"}
		}
		if object[name], err = p.value(at); err != nil {
			return nil, err
		}
	}
	return object, p.close(pointer)
}

func (p *parser) array(pointer string) (any, error) {
	array := []any{}
	for p.dec.More() {
		value, err := p.value(Join(pointer, fmt.Sprint(len(array))))
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	return array, p.close(pointer)
}

func (p *parser) close(pointer string) error {
	if _, err := p.dec.Token(); err != nil {
		return &Error{p.schema, pointer, "it is not JSON: " + err.Error()}
	}
	return nil
}
