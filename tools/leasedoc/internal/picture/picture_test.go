package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"containlease/fsm"

	"github.com/stretchr/testify/require"
)

func TestEveryStateAndArrowIsDrawn(t *testing.T) {
	for _, inline := range []bool{false, true} {
		svg, err := SVG(inline)
		require.NoError(t, err)
		d := xml.NewDecoder(strings.NewReader(svg))
		for err == nil {
			_, err = d.Token()
		}
		require.Equal(t, io.EOF, err, "well-formed")
		require.Equal(t, len(fsm.States), strings.Count(svg, `class="box"`))
		require.Equal(t, len(fsm.Table), strings.Count(svg, `class="line"`))
		require.Equal(t, inline, strings.Contains(svg, "tabindex"))
		require.Equal(t, !inline, strings.Contains(svg, "prefers-color-scheme:dark"))
		require.NotContains(t, strings.ReplaceAll(svg, "http://www.w3.org/2000/svg", ""), "http", "readable offline")
	}
}

// TestArrowsTouchTheirBoxes: where an arrow begins and ends lies on the edge of its states' boxes.
func TestArrowsTouchTheirBoxes(t *testing.T) {
	on := func(p, c point) bool {
		dx, dy := max(p.x-c.x, c.x-p.x), max(p.y-c.y, c.y-p.y)
		return dx <= boxW/2 && dy <= boxH/2 && (dx == boxW/2 || dy == boxH/2)
	}
	for _, r := range fsm.Table {
		c := layout[r.From][r.Event]
		require.True(t, on(c.from, centre[r.From]), "%s begins off %s", r.Event, r.From)
		require.True(t, on(c.to, centre[r.To]), "%s ends off %s", r.Event, r.To)
	}
}
