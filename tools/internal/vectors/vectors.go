// Package vectors reads the rows of schema/vectors, the files of cases that every
// implementation in any language walks. The README of that folder describes them.
package vectors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Verdict is the answer at one level: Code is empty for accepted.
type Verdict struct {
	Code    string
	Pointer string
	Offset  int
}

// Accepted is the verdict on a valid document.
var Accepted Verdict

// MarshalJSON writes {"ok":true}, or the reason of a refusal with all three members.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v == Accepted {
		return []byte(`{"ok":true}`), nil
	}
	return json.Marshal(struct {
		OK      bool   `json:"ok"`
		Code    string `json:"code"`
		Pointer string `json:"pointer"`
		Offset  int    `json:"offset"`
	}{false, v.Code, v.Pointer, v.Offset})
}

// Case is a row of cases.jsonl, cuts.jsonl or large.jsonl. Exactly one of Bytes,
// Edits (with Base) and Parts says what the document is.
type Case struct {
	Name   string  `json:"name"`
	Reason string  `json:"reason"`
	Base   string  `json:"base,omitempty"`
	Edits  []Edit  `json:"edits,omitempty"`
	Parts  []Part  `json:"parts,omitempty"`
	Bytes  []byte  `json:"bytes,omitempty"`
	File   string  `json:"fileName,omitempty"` // judge the file under this name
	Schema *bool   `json:"schema"`             // what a schema says of the value; nil where there is no one value
	Value  Verdict `json:"value"`
	Strict Verdict `json:"file"`
}

// Edit is [offset, bytes deleted there, bytes inserted there].
type Edit struct {
	Offset, Deleted int
	Inserted        []byte
}

// MarshalJSON writes the edit as a list.
func (e Edit) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{e.Offset, e.Deleted, append([]byte{}, e.Inserted...)})
}

// UnmarshalJSON reads the list.
func (e *Edit) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&e.Offset, &e.Deleted, &e.Inserted})
}

// Apply returns b with the edit made; b stays as it is.
func (e Edit) Apply(b []byte) []byte {
	return bytes.Join([][]byte{b[:e.Offset], e.Inserted, b[e.Offset+e.Deleted:]}, nil)
}

// Part is [bytes, how often they are repeated].
type Part struct {
	Bytes []byte
	Times int
}

// MarshalJSON writes the part as a list.
func (p Part) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.Bytes, p.Times}) }

// UnmarshalJSON reads the list.
func (p *Part) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&p.Bytes, &p.Times}) }

// Join makes the document of a row of large.jsonl.
func Join(parts []Part) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, bytes.Repeat(part.Bytes, part.Times)...)
	}
	return all
}

// Read decodes a file of one JSON object a line.
func Read[Row any](path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []Row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	return rows, lines.Err()
}

// Document is one document of the corpus.
type Document struct {
	Name  string
	Bytes []byte
}

// errNoBase means that a row refers to a document that is not there.
var errNoBase = errors.New("the row's base is no document of the corpus")

// Documents reads every document of the folder but the large ones: what was measured
// on the original program first, its random edits, then what this project added.
func Documents(dir string) ([]Document, error) {
	var all []Document
	base := map[string][]byte{}
	for _, name := range []string{"decode.jsonl", "cases.jsonl", "mutants.jsonl", "cuts.jsonl"} {
		rows, err := Read[struct {
			Name, Base string
			Bytes      []byte
			Edits      []Edit
		}](filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for i, row := range rows {
			b := row.Bytes
			if row.Base != "" {
				var known bool
				if b, known = base[row.Base]; !known {
					return nil, fmt.Errorf("%w: %s in %s", errNoBase, row.Base, name)
				}
			}
			for _, edit := range row.Edits {
				b = edit.Apply(b)
			}
			if row.Name == "" {
				row.Name = fmt.Sprintf("%s, row %d", name, i+1)
			}
			base[row.Name] = b
			all = append(all, Document{row.Name, b})
		}
	}
	return all, nil
}
