package model

import (
	"testing"

	"containlease/lease/verdict"

	"github.com/stretchr/testify/require"
)

// decide follows a tree like the model's expression does.
func (n *node) decide(at map[string]int) bool {
	if n.leaf {
		return n.value
	}
	for i, values := range n.answers {
		for _, v := range values {
			if v == at[n.question.name] {
				return n.branches[i].decide(at)
			}
		}
	}
	panic("an answer without a branch")
}

// TestTreesDecideAsTheProgramDoes asks both for every combination of facts.
func TestTreesDecideAsTheProgramDoes(t *testing.T) {
	for _, p := range []verdict.Policy{verdict.Strict, verdict.Original} {
		for name, decide := range map[string]func(verdict.Facts) bool{"removes": removes(p), "admits": admits(p)} {
			root, n, yes := tree(facts, base, decide), 0, 0
			var walk func(i int, f verdict.Facts, at map[string]int)
			walk = func(i int, f verdict.Facts, at map[string]int) {
				if i == len(facts) {
					n++
					want := decide(f)
					if want {
						yes++
					}
					require.Equal(t, want, root.decide(at), "%s %s %+v", p, name, f)
					return
				}
				for v := range facts[i].values {
					g := f
					facts[i].set(&g, v)
					at[facts[i].name] = v
					walk(i+1, g, at)
				}
			}
			walk(0, base, map[string]int{})
			require.Equal(t, 17280, n)
			require.NotZero(t, yes)
			require.NotEqual(t, n, yes)
		}
	}
}

func TestExpression(t *testing.T) {
	text := expression(facts, base, func(f verdict.Facts) bool { return f.Owner == verdict.Dead && f.Evidence }, "")
	require.Equal(t, "(!(evidence) ->\n  false :\n  ((owner) != DEAD ->\n    false :\n    true))", text)
}

func TestResultsReadBack(t *testing.T) {
	rows := []Result{{"crashes", Holds, 85489, 0.6}, {"gate-first", "breaks I4", 3, 12}}
	digest, again, err := Parse(Format("abc", rows))
	require.NoError(t, err)
	require.Equal(t, "abc", digest)
	require.Equal(t, rows, again)
	_, _, err = Parse("nonsense")
	require.Error(t, err)
}

func TestRunsAreWellFormed(t *testing.T) {
	runs, err := Runs()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range runs {
		require.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
		require.Regexp(t, `^(holds|breaks I[1-6])$`, r.Want)
		require.NotEmpty(t, r.About)
	}
}
