package picture

import (
	"fmt"
	"strings"

	"containlease/fsm"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/story"
)

// SVG returns the drawing. As a file of its own it follows the reader's light or dark preference; as part of a page
// (inline) it takes the page's colours, and its states and arrows can be clicked and reached by keyboard.
func SVG(inline bool) (string, error) {
	var b strings.Builder
	role := `role="img"`
	if inline {
		role = `role="group"`
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" %s aria-labelledby="svg-title">`+"\n", width, height, role)
	b.WriteString(`<title id="svg-title">The lifecycle of a containment lease</title>` + "\n")
	if !inline {
		fmt.Fprintf(&b, "<style>%s%s</style>\n", colours, shapes)
	}
	for _, kind := range []string{"calm", "unsafe", "done"} {
		fmt.Fprintf(&b, `<defs><marker id="tip-%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse">`+
			`<path d="M1 1 9 5 1 9" class="tip %s"/></marker></defs>`+"\n", kind, kind)
	}
	for _, r := range fsm.Table {
		if err := arrow(&b, r, inline); err != nil {
			return "", err
		}
	}
	for _, s := range fsm.States {
		if err := box(&b, s, inline); err != nil {
			return "", err
		}
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// control makes a group that a page can click.
func control(inline bool, class, key, label string) string {
	if !inline {
		return fmt.Sprintf(`<g class="%s"><title>%s</title>`, class, escape(label))
	}
	return fmt.Sprintf(`<g class="%s" data-key="%s" tabindex="0" role="button" aria-pressed="false" aria-label="%s">`,
		class, key, escape(label))
}

func kindOf(r fsm.Row) string {
	switch r.Event {
	case fsm.CleanupUnsafe:
		return "unsafe"
	case fsm.CleanupComplete, fsm.Release:
		return "done"
	}
	return "calm"
}

func arrow(b *strings.Builder, r fsm.Row, inline bool) error {
	c, ok := layout[r.From][r.Event]
	if !ok {
		return fmt.Errorf("picture: no layout for the arrow %s", story.Key(r))
	}
	kind := kindOf(r)
	d := fmt.Sprintf("M%g %g C%g %g %g %g %g %g", c.from.x, c.from.y, c.c1.x, c.c1.y, c.c2.x, c.c2.y, c.to.x, c.to.y)
	fmt.Fprintln(b, control(inline, "arrow "+kind, "arrow:"+story.Key(r), fmt.Sprintf("%s: %s to %s", r.Event, r.From, r.To)))
	if inline {
		fmt.Fprintf(b, `<path class="reach" d="%s"/>`+"\n", d)
	}
	fmt.Fprintf(b, `<path class="line" d="%s" marker-end="url(#tip-%s)"/>`+"\n", d, kind)
	w := float64(len(r.Event))*6.7 + 10
	fmt.Fprintf(b, `<rect class="plate" x="%g" y="%g" width="%g" height="18" rx="4"/>`, c.label.x-w/2, c.label.y-13, w)
	fmt.Fprintf(b, `<text class="label" x="%g" y="%g">%s</text></g>`+"\n", c.label.x, c.label.y, r.Event)
	return nil
}

func box(b *strings.Builder, s fsm.State, inline bool) error {
	c, ok := centre[s]
	if !ok {
		return fmt.Errorf("picture: no place for the state %s", s)
	}
	fmt.Fprintln(b, control(inline, "state "+tone(s), "state:"+string(s), fmt.Sprintf("%s: %s", s, explain.States[s].Means)))
	fmt.Fprintf(b, `<rect class="box" x="%g" y="%g" width="%d" height="%d" rx="10"/>`, c.x-boxW/2, c.y-boxH/2, boxW, boxH)
	fmt.Fprintf(b, `<text class="name" x="%g" y="%g">%s</text></g>`+"\n", c.x, c.y+5, s)
	return nil
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// colours are for the stand-alone file; a page brings its own under the same names.
const colours = `
:root{--ground:#fff;--ink:#1d2430;--line:#5a6675;--held:#e8eefc;--held-edge:#3f62b5;--free:#f3f4f6;--free-edge:#8a94a3;--unsafe:#fdeaea;--unsafe-edge:#b3261e;--complete:#e6f4ea;--complete-edge:#1b7a3d}
@media (prefers-color-scheme:dark){:root{--ground:#12161d;--ink:#e6eaf0;--line:#9aa6b6;--held:#1c2a4a;--held-edge:#86a5f2;--free:#1c2129;--free-edge:#7c8797;--unsafe:#3b1a1a;--unsafe-edge:#f28b82;--complete:#16321f;--complete-edge:#7fd197}}
svg{background:var(--ground)}`

const shapes = `
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;text-anchor:middle;fill:var(--ink)}
.name{font-size:14.5px;font-weight:600}
.label{font-size:12.5px}
.box{stroke-width:1.5}
.held .box{fill:var(--held);stroke:var(--held-edge)}
.free .box{fill:var(--free);stroke:var(--free-edge);stroke-dasharray:5 4}
.unsafe .box{fill:var(--unsafe);stroke:var(--unsafe-edge)}
.complete .box{fill:var(--complete);stroke:var(--complete-edge)}
.line{fill:none;stroke:var(--line);stroke-width:1.6}
.arrow.unsafe .line{stroke:var(--unsafe-edge)}
.arrow.done .line{stroke:var(--complete-edge)}
.tip{fill:none;stroke:var(--line);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.tip.unsafe{stroke:var(--unsafe-edge)}
.tip.done{stroke:var(--complete-edge)}
.plate{fill:var(--ground)}
`

// Shapes is the style of the drawing's parts, for pages.
const Shapes = shapes
