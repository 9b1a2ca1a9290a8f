package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendStringReadsBack takes every character of the first planes through the
// encoder, a JSON library and this package's own decoder.
func TestAppendStringReadsBack(t *testing.T) {
	anything := Text{Match: func(b []byte) (int, bool) { return len(b), true }, Max: 9, Free: true}
	for r := rune(0); r <= 0x1ffff; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		want := "a" + string(r) + "b"
		text := AppendString(nil, want)
		if r < 0x3000 {
			var got string
			require.NoError(t, json.Unmarshal(text, &got))
			require.Equal(t, want, got)
		}
		s := Scan(text, nil)
		if got := s.String(&anything); got != want || s.err != nil {
			require.Failf(t, "reads back as something else", "%q: %q, %v", want, got, s.err)
		}
	}
	require.Equal(t, `"\u0000\b\t\n\u000b\f\r\u001f \"\\/`+"\u007f\u2028"+`<>&"`,
		string(AppendString(nil, "\x00\b\t\n\v\f\r\x1f \"\\/\u007f\u2028<>&")))
	require.Equal(t, "\"\xff\"", string(AppendString(nil, "\xff")), "what is not UTF-8 must stay wrong")
}

func TestCodesAreDistinct(t *testing.T) {
	seen := map[Code]bool{}
	for _, code := range Codes {
		require.False(t, seen[code], code)
		require.Regexp(t, `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`, string(code))
		seen[code] = true
	}
}
