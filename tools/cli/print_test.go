package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestTableAlignsAndWraps(t *testing.T) {
	got := table([]string{"A", "BB"}, []row{
		{cells: []string{"long", "x"}, below: []string{strings.Repeat("word ", 30) + "end"}},
		{cells: []string{"é", "y"}},
	})
	lines := strings.Split(got, "\n")
	require.Equal(t, []string{"A     BB", "long  x"}, lines[:2])
	require.Equal(t, "é     y", lines[4])
	for _, l := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(l), width)
	}
}

func TestNothingThatATerminalObeysIsPrinted(t *testing.T) {
	for _, evil := range []string{"\x1b[2J", "a\nb", "\xff", "\u202e"} {
		for _, shown := range []string{table([]string{"A"}, []row{{cells: []string{evil}}}), pairs("name", evil), wrap(evil, "")} {
			require.NotContains(t, shown, evil)
		}
	}
}

func TestWrapNeverBreaksAWord(t *testing.T) {
	long := strings.Repeat("x", width+1)
	require.Equal(t, "  a\n  "+long+"\n  b\n", wrap("a "+long+" b", "  "))
}
