package book

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"containlease/gen/leasefile"
	"containlease/schema"
)

func boundaryKinds() []leasefile.BoundaryKind { return leasefile.BoundaryKinds[:] }

// node is as much of a JSON Schema as the records use.
type node struct {
	Title, Description, Type, Pattern string
	Ref                               string `json:"$ref"`
	Const                             any
	Enum                              []string
	MaxLength                         int
	Minimum, Maximum                  json.Number
	Required                          []string
	Properties                        map[string]node
	OneOf                             []node
	Items                             *node
	Defs                              map[string]node `json:"$defs"`
}

// UnmarshalJSON takes the schemas true and false too, which say that anything, or nothing, may stand there.
func (n *node) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "true":
		*n = node{Title: "anything"}
		return nil
	case "false":
		*n = node{Title: "absent"}
		return nil
	}
	type plain node
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode((*plain)(n))
}

func schemaDocument() (string, error) {
	p := newPage("Records", `Every record that a home holds and every document that a command prints, from the published JSON Schemas in [schema/](../../schema). All members are required
unless a record says otherwise, and no others are allowed.`)
	for _, name := range schema.Names() {
		text, _ := schema.Read(name)
		var n node
		if err := json.Unmarshal(text, &n); err != nil {
			return "", fmt.Errorf("schema %s: %w", name, err)
		}
		p.record(name, n)
	}
	return p.String(), nil
}

func (p *page) record(name string, n node) {
	p.heading(name)
	p.say("%s. [Schema](../../schema/%s.schema.json).\n\n%s", n.Title, name, n.Description)
	p.sub(name + ": members")
	var rows [][]string
	n.members("", n.Defs, &rows)
	p.table([]string{"member", "rule", "means"}, rows)
	if example, ok := examples[name]; ok {
		p.sub(name + ": example")
		p.say("```json\n%s```", example())
	}
}

// members lists the members of an object, and below each those of the objects that it holds.
func (n node) members(prefix string, defs map[string]node, rows *[][]string) {
	for _, name := range slices.Sorted(mapsKeys(n.Properties)) {
		m := n.Properties[name]
		*rows = append(*rows, []string{code(prefix + name), m.rule(defs), m.Description})
		for _, o := range m.follow(defs).objects(defs) {
			o.members(prefix+name+".", defs, rows)
		}
	}
}

// objects are the shapes that a value may have and that have members of their own.
func (n node) objects(defs map[string]node) []node {
	if len(n.Properties) > 0 {
		return []node{n}
	}
	if n.Items != nil {
		return n.Items.follow(defs).objects(defs)
	}
	var out []node
	for _, o := range n.OneOf {
		out = append(out, o.follow(defs).objects(defs)...)
	}
	return out
}

func (n node) follow(defs map[string]node) node {
	if n.Ref == "" {
		return n
	}
	return defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
}

// rule is what a value must be, in words.
func (n node) rule(defs map[string]node) string {
	n = n.follow(defs)
	switch {
	case n.Const != nil:
		return fmt.Sprintf("exactly %s", code(fmt.Sprint(n.Const)))
	case len(n.Enum) > 0:
		return "one of " + code(strings.Join(n.Enum, "`, `"))
	case len(n.OneOf) > 0:
		var words []string
		for _, o := range n.OneOf {
			words = append(words, o.rule(defs))
		}
		return strings.Join(words, "; or ")
	case n.Pattern != "" && len(n.Pattern) <= 60:
		return fmt.Sprintf("%s: %s", n.Title, code(n.Pattern))
	case n.Items != nil:
		return "a list; each: " + n.Items.rule(defs)
	case n.Title != "":
		return n.Title
	}
	return n.Type
}
