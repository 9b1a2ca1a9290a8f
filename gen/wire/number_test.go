package wire

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// readInteger reads {"n":text} and returns the number and the error; offsets in the
// error count from the start of text.
func readInteger(text string, d *Int) (int64, *DecodeError) {
	shape := Shape{Keys: []string{"n"}, Has: []uint32{1}}
	const before = len(`{"n":`)
	s := Scan([]byte(`{"n":`+text+`}`), nil)
	var n int64
	for o := Begin(&shape); s.Next(&o); {
		n = s.Integer(d)
	}
	if s.Whole() != nil {
		s.err.Offset -= before
		return 0, s.err
	}
	return n, nil
}

func TestIntegerIsExact(t *testing.T) {
	d := Int{Min: 1, Max: 1<<53 - 1}
	for text, want := range map[string]int64{
		"1": 1, "1.0": 1, "1e0": 1, "1E+0": 1, "10e-1": 1, "4821300e-2": 48213, "1e0000000001": 10,
		"0.00000000000000001e17": 1, "9007199254740991": 1<<53 - 1, "9007199254740991.000": 1<<53 - 1,
		"0.1e1": 1, "1200000000000000000000000e-23": 12, "90071992547409.91e2": 1<<53 - 1,
	} {
		got, err := readInteger(text, &d)
		require.Nil(t, err, "%s: %v", text, err)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]DecodeError{
		"0":                  {Code: Range, Offset: 1},
		"-1":                 {Code: Range, Offset: 0},
		"-0":                 {Code: Range, Offset: 0},
		"01":                 {Code: Syntax, Offset: 1},
		"+1":                 {Code: Syntax, Offset: 0},
		"1.5":                {Code: WrongType, Offset: 3},
		"1.":                 {Code: Syntax, Offset: 2},
		"1e":                 {Code: Syntax, Offset: 2},
		"0e5":                {Code: Range, Offset: 1},
		"9007199254740992":   {Code: Range, Offset: 15},
		"9007199254740990.6": {Code: Range, Offset: 17},
		"1e16":               {Code: Range, Offset: 3},
		"1e1000000":          {Code: Range, Offset: 4},
		"1e-1":               {Code: Range, Offset: 3},
		"1x":                 {Code: Syntax, Offset: 1},
		"true":               {Code: WrongType, Offset: 0},
		`"1"`:                {Code: WrongType, Offset: 0},
	} {
		_, err := readInteger(text, &d)
		require.NotNil(t, err, text)
		require.Equal(t, want, DecodeError{Code: err.Code, Offset: err.Offset}, "%s: %v", text, err)
		require.Equal(t, text != "1x", err.Pointer == "/n", text) // behind a number, the object is read again
	}
}

// TestIntegerAgainstAllSpellings compares with exact arithmetic on every text of up to
// 7 of these characters: what is accepted, and for the shorter ones also where the
// refusal lies: behind the longest part that some accepted text begins with.
func TestIntegerAgainstAllSpellings(t *testing.T) {
	const alphabet, most, checked = "0123.e-+", 7, 3
	for _, d := range []Int{{Min: 3, Max: 25}, {Min: 1, Max: 1}, {Min: 10, Max: 12}} {
		begins := map[string]bool{"": true} // of accepted texts
		every(alphabet, most, func(text string) {
			want := jsonNumber.MatchString(text) && inside(text, d)
			if _, err := readInteger(text, &d); (err == nil) != want {
				require.Failf(t, "verdict", "%s in %d..%d: %v", text, d.Min, d.Max, err)
			}
			for i := range text {
				if want {
					begins[text[:i+1]] = true
				}
			}
		})
		every(alphabet, checked, func(text string) {
			_, err := readInteger(text, &d)
			if err == nil {
				return
			}
			viable := 0
			for viable < len(text) && begins[text[:viable+1]] {
				viable++
			}
			require.Equal(t, viable, err.Offset, "%s in %d..%d: %v", text, d.Min, d.Max, err)
		})
	}
}

func inside(text string, d Int) bool {
	r, ok := new(big.Rat).SetString(text)
	return ok && r.IsInt() && r.Cmp(big.NewRat(d.Min, 1)) >= 0 && r.Cmp(big.NewRat(d.Max, 1)) <= 0
}

// every calls visit with every text of 1 to most characters.
func every(alphabet string, most int, visit func(string)) {
	var extend func(prefix string)
	extend = func(prefix string) {
		for _, c := range alphabet {
			text := prefix + string(c)
			visit(text)
			// A number that goes on after e and five more characters is out of any
			// range here, and exact arithmetic on it would take for ever.
			if len(text) < most && !strings.Contains(text[:max(0, len(text)-2)], "e") {
				extend(text)
			}
		}
	}
	extend("")
}
