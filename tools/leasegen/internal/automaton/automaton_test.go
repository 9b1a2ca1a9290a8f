package automaton

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// accepts runs the automaton.
func (a *Automaton) accepts(s string) bool {
	state := 0
	for _, r := range s {
		state = a.Next[state][min(r, Other)]
		if state == Dead {
			return false
		}
	}
	return a.Accept[state]
}

func TestAcceptsWhatGoMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, pattern := range []string{
		`^a$`, `^(a|bc)*d?$`, `^[a-c]{2,4}(x|y)+$`, `^(0|[1-9][0-9]*)\.[^\x00-\x1f\x7f]+$`,
		`^[0-9a-f]{8}-[89ab][0-9a-f]{3}$`, `^(a{0,3}b){1,3}$`, `^[^a]*$`, `^(?:ab?)+\x41$`, `^[a\]\\\^-]+$`, `^(a|ab)(c|bcd)$`,
	} {
		a, err := Compile(pattern)
		require.NoError(t, err, pattern)
		re := regexp.MustCompile(pattern)
		accepted := 0
		for range 5000 {
			s := a.walk(random)
			require.Equal(t, re.MatchString(s), a.accepts(s), "%s on %q", pattern, s)
			if a.accepts(s) {
				accepted++
			}
		}
		require.Positive(t, accepted, pattern)
	}
}

// walk makes a string by following the automaton, going astray now and then.
func (a *Automaton) walk(random *rand.Rand) string {
	var s []rune
	for state := 0; len(s) < 40; {
		if a.Accept[state] && random.IntN(3) == 0 {
			break
		}
		symbol := random.IntN(Symbols)
		for tries := 0; tries < 500 && a.Next[state][symbol] == Dead && random.IntN(500) != 0; tries++ {
			symbol = random.IntN(Symbols)
		}
		r := rune(symbol)
		if symbol == Other {
			r = []rune{0x80, 'é', '€', '😀', utf8.MaxRune}[random.IntN(5)]
		}
		s = append(s, r)
		if state = a.Next[state][symbol]; state == Dead {
			break
		}
	}
	return string(s)
}

func TestIsMinimal(t *testing.T) {
	for pattern, states := range map[string]int{`^a$`: 2, `^(a|b)*$`: 1, `^(aa|ba)$`: 3, `^[0-9a-f]{64}$`: 65, `^(ax|bx|cx)y$`: 4, `^a{0,3}$`: 4} {
		a, err := Compile(pattern)
		require.NoError(t, err)
		require.Len(t, a.Next, states, pattern)
	}
}

func TestLongest(t *testing.T) {
	for pattern, want := range map[string]int{`^a{2,5}(b|cd)$`: 7, `^(a|é)$`: -2, `^a*$`: -1, `^[^a]$`: 1} {
		a, err := Compile(pattern)
		if want == -2 {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		longest, bounded := a.Longest()
		require.Equal(t, want >= 0, bounded, pattern)
		if bounded {
			require.Equal(t, want, longest, pattern)
		}
	}
}

// TestRefusesWhatLanguagesReadDifferently: everything outside the subset, with the
// reason why it is dangerous beside it.
func TestRefusesWhatLanguagesReadDifferently(t *testing.T) {
	for _, pattern := range []string{
		``, `a`, `^a`, `a$`, // not anchored: a part of the string would do
		`^a|b$`,                          // anchors bind tighter
		`^.$`,                            // which line ends does the dot leave out?
		`^\d$`, `^\w+$`, `^\s$`, `^\pL$`, // which characters are these?
		`^\-$`, `^\_$`, `^\a$`, `^\e$`, // refused in Unicode mode
		`^a*?$`, `^a++$`, `^a**$`, `^*a$`, `^(*a)$`, `^(|*)$`, // lazy, possessive, nothing to repeat
		`^(?i)a$`, `^(?=a)a$`, `^(?P<n>a)$`, `^(?<n>a)$`, `^\1$`, `^(a)\1$`,
		`^a^b$`, `^a$b$`, `^\bA$`, `^\Aa\z$`,
		`^[]a]$`, `^[^]a]$`, `^[]$`, // an empty class, or one with a bracket
		`^[[:alpha:]]$`, `^[\d]$`, `^[a-\d]$`, `^[z-a]$`, `^[a-b-c]$`, `^[-a]$`, `^[a`, `^[a-]b]$`,
		`^a{1001}$`, `^a{,3}$`, `^a{x}$`, `^a{3,2}$`, `^}$`, `^]$`, `^(a$`, `^a)$`,
		`^\x{41}$`, `^\u0041$`, `^\x4$`, `^é$`, "^\t$", `^[é]$`, `^[^é]$`, `^[^\xe9]$`, `^[\x80-\xff]$`,
		`^a[^\x00-\xff]$`,
	} {
		_, err := Compile(pattern)
		require.Error(t, err, pattern)
	}
	for _, pattern := range []string{`^$`, `^a-b$`, `^[a-c0-9_-]$`, `^[\^\]\\\-]$`, `^\(\[\{\^\$\.\*\+\?\|\/\}\]\)$`, `^(a|b){2}$`, `^(a|)$`, `^((a)|(b))$`} {
		_, err := Compile(pattern)
		require.NoError(t, err, pattern)
	}
}
