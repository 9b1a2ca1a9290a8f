package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// width is where tables wrap: it fits two windows side by side, and needs no terminal to be asked.
const width = 100

// printJSON writes one line of JSON to stdout.
func (a *app) printJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return a.print(b.String())
}

// print writes a result to stdout.
func (a *app) print(s string) error {
	if _, err := io.WriteString(a.stdout, s); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// row is a line of a table: its cells, what is to be said below them, and below that a line that is copied as it is.
type row struct {
	cells  []string
	below  []string
	copied string
}

// table aligns the cells; the last column is left as long as it is. What is below a row is indented and wrapped.
func table(head []string, rows []row) string {
	widths := make([]int, len(head))
	all := append([]row{{cells: head}}, rows...)
	for _, r := range all {
		for i, c := range r.cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(plain(c)))
		}
	}
	var b strings.Builder
	for _, r := range all {
		var line strings.Builder
		for i, c := range r.cells {
			fmt.Fprintf(&line, "%-*s  ", widths[i], plain(c))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		for _, text := range r.below {
			b.WriteString(wrap(text, "    "))
		}
		if r.copied != "" {
			b.WriteString("    " + plain(r.copied) + "\n")
		}
	}
	return b.String()
}

// nameWidth is the column in which the values of pairs begin.
const nameWidth = 11

// pairs is a list of names and values, one below the other; an empty value leaves out its line.
func pairs(namesAndValues ...string) string {
	indent := strings.Repeat(" ", nameWidth)
	var b strings.Builder
	for i := 0; i < len(namesAndValues); i += 2 {
		if value := namesAndValues[i+1]; value != "" {
			fmt.Fprintf(&b, "%-*s%s", nameWidth, namesAndValues[i], strings.TrimPrefix(wrap(value, indent), indent))
		}
	}
	return b.String()
}

// wrap breaks text at blanks into lines that begin with indent. A word is never broken.
func wrap(text, indent string) string {
	var b strings.Builder
	line := indent
	for word := range strings.SplitSeq(plain(text), " ") {
		if line != indent && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
	return b.String()
}

// plain keeps bytes that a terminal would obey out of a table: such text is shown as a Go string literal.
func plain(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.QuoteToASCII(s)
}

// plainLines is plain for each line of a text.
func plainLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	return strings.Join(lines, "\n")
}

// dash stands for what there is none of.
func dash(s string) string { return choose(s == "", "-", s) }
