// Package page makes the one page for people who look rather than read: the diagram with everything about each state and
// arrow, and an invocation to step through and crash. It is self-contained: no network, no framework.
package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"containlease/tools/leasedoc/internal/picture"
)

//go:embed page.html
var html string

//go:embed page.css
var css string

//go:embed page.js
var js string

// HTML returns the page.
func HTML() (string, error) {
	svg, err := picture.SVG(true)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(collect()) // escapes < and >, so that it may stand in a script element
	if err != nil {
		return "", fmt.Errorf("the page's data: %w", err)
	}
	return strings.NewReplacer("/*CSS*/", css+picture.Shapes, "<!--SVG-->", svg, "/*DATA*/", string(data), "/*JS*/", js).Replace(html), nil
}
