package wire

// The bounds of Peek: it reads what this program does not understand, so it has
// to stop somewhere.
const (
	maxPeek    = 1 << 20 // bytes of a file that a reader looks at
	maxDepth   = 64
	maxMembers = 1 << 10 // of one object
	maxText    = 1 << 10 // bytes of a name, or of a string that was asked for
)

// Found is what Peek found of one path: where its value begins, and the value if it
// is a string or a plain integer.
type Found struct {
	OK     bool
	Offset int
	Text   string // of a string
	Number int64  // of an integer, else 0
}

// Peek reads any strict JSON object, without duplicate names but otherwise of any
// shape, and returns what stands at two places: the member top, and the member
// inner of the member outer. ok is false for anything else, for more than 1 MiB, for
// values nested more than 64 deep, objects of more than 1024 members and names longer
// than that: its memory does not grow with the document.
func Peek(b []byte, top, outer, inner string) (atTop, atInner Found, ok bool) {
	if len(b) > maxPeek {
		return Found{}, Found{}, false
	}
	p := peeker{s: Scanner{data: b}}
	p.wanted = func(path []string) *Found {
		switch {
		case len(path) == 1 && path[0] == top:
			return &atTop
		case len(path) == 2 && path[0] == outer && path[1] == inner:
			return &atInner
		}
		return nil
	}
	p.s.space()
	ok = p.s.peek() == '{' && p.value(0)
	return atTop, atInner, ok && p.s.Whole() == nil
}

type peeker struct {
	s      Scanner
	path   []string // names of the members that enclose the current value; "" stands for an array
	wanted func(path []string) *Found
}

// value reads one value; its nesting is bounded, so recursion is safe.
func (p *peeker) value(depth int) bool {
	found := p.wanted(p.path)
	wanted := found != nil
	if !wanted {
		found = new(Found)
	}
	*found = Found{OK: true, Offset: p.s.pos}
	switch c := p.s.peek(); {
	case c == '{' && depth < maxDepth:
		return p.object(depth)
	case c == '[' && depth < maxDepth:
		return p.array(depth)
	case c == '"' && !wanted:
		return p.skipText()
	case c == '"':
		text, ok := p.text()
		found.Text = text
		return ok
	case c == 't':
		return p.s.literal("true")
	case c == 'f':
		return p.s.literal("false")
	case c == 'n':
		return p.s.literal("null")
	default:
		number, ok := p.number()
		found.Number = number
		return ok
	}
}

func (p *peeker) object(depth int) bool {
	seen := make(map[string]bool)
	p.path = append(p.path, "")
	defer func() { p.path = p.path[:len(p.path)-1] }()
	return p.list('}', func() bool {
		if p.s.peek() != '"' {
			return false
		}
		name, ok := p.text()
		p.s.space()
		if !ok || seen[name] || len(seen) == maxMembers || p.s.peek() != ':' {
			return false
		}
		seen[name] = true
		p.s.pos++
		p.s.space()
		p.path[len(p.path)-1] = name
		return p.value(depth + 1)
	})
}

func (p *peeker) array(depth int) bool {
	// A name can be empty too; two levels of path are looked at, and neither of the
	// names wanted is empty.
	p.path = append(p.path, "")
	defer func() { p.path = p.path[:len(p.path)-1] }()
	return p.list(']', func() bool { return p.value(depth + 1) })
}

// list reads elements with commas between them, up to the closing byte.
func (p *peeker) list(closing byte, element func() bool) bool {
	p.s.pos++
	p.s.space()
	if p.s.peek() == closing {
		p.s.pos++
		return true
	}
	for element() {
		p.s.space()
		switch p.s.peek() {
		case closing:
			p.s.pos++
			return true
		case ',':
			p.s.pos++
			p.s.space()
		default:
			return false
		}
	}
	return false
}

func (p *peeker) text() (string, bool) {
	p.s.pos++
	p.s.scratch = p.s.scratch[:0]
	for p.s.peek() != '"' {
		if !p.s.char() || len(p.s.scratch) > maxText {
			return "", false
		}
	}
	p.s.pos++
	return string(p.s.scratch), true
}

// skipText reads a string that nobody asked for, and keeps nothing of it.
func (p *peeker) skipText() bool {
	p.s.pos++
	for p.s.peek() != '"' {
		if p.s.scratch = p.s.scratch[:0]; !p.s.char() {
			return false
		}
	}
	p.s.pos++
	return true
}

// number reads a number of any size; its value is of interest only if it is an
// integer that a version could be.
func (p *peeker) number() (int64, bool) {
	start := p.s.pos
	n := Scanner{data: p.s.data, pos: start}
	value := n.slowInteger(&Int{Min: 1, Max: limit - 1})
	if !p.skipNumber() {
		return 0, false
	}
	if n.err != nil || n.pos != p.s.pos {
		value = 0
	}
	return value, true
}

func (p *peeker) skipNumber() bool {
	if p.s.peek() == '-' {
		p.s.pos++
	}
	if p.s.peek() == '0' {
		p.s.pos++
	} else if !p.skipDigits() {
		return false
	}
	if p.s.peek() == '.' {
		p.s.pos++
		if !p.skipDigits() {
			return false
		}
	}
	if p.s.peek()|0x20 != 'e' {
		return true
	}
	p.s.pos++
	if c := p.s.peek(); c == '+' || c == '-' {
		p.s.pos++
	}
	return p.skipDigits()
}

func (p *peeker) skipDigits() bool {
	start := p.s.pos
	for p.s.peek()-'0' <= 9 {
		p.s.pos++
	}
	return p.s.pos > start
}
