package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"containlease/fsm"
	"containlease/gen/leasefile"
	"containlease/lease/verdict"
	"containlease/tools/leasedoc/internal/explain"

	"github.com/stretchr/testify/require"
)

const root = "../../../.."

// explained wants the keys of an explanation to be exactly these values.
func explained[K ~string, V any](t *testing.T, words map[K]V, values []K) {
	t.Helper()
	for _, v := range values {
		require.Contains(t, words, v, "%q is not explained", v)
	}
	require.Len(t, words, len(values), "an explanation of what does not exist")
}

func TestEveryValueIsExplained(t *testing.T) {
	explained(t, explain.States, fsm.States)
	explained(t, explain.Events, fsm.Events)
	explained(t, explain.Guard, fsm.Events)
	explained(t, explain.Boundaries, leasefile.BoundaryKinds[:])

	rules := []string{verdict.OfMalformed("").Rule, verdict.OfNewer("").Rule}
	for _, r := range verdict.Ladder {
		rules = append(rules, r.Name)
	}
	explained(t, explain.Actions, rules)

	explained(t, explain.HostRules, constants[fsm.HostRule](t, "fsm", "HostRule"))
	explained(t, explain.Writes, constants[fsm.Write](t, "fsm", "Write"))
	explained(t, fsm.Classes, constants[fsm.Class](t, "fsm", "Class"))
	explained(t, explain.Verdicts, constants[verdict.Outcome](t, "lease/verdict", "Outcome"))
	explained(t, explain.Blocks, constants[verdict.Block](t, "lease/verdict", "Block"))
	kinds := map[string]string{}
	for k, text := range explain.Kinds {
		kinds[string(k)] = text
	}
	explained(t, kinds, constants[string](t, "persist", "Kind"))
}

// TestWhoMayRemoveIsWhole: of every state that a file can be in, whoever the program lets remove it is named. The owner's arrow is the
// table's; a doctor and an operator's retire take whatever is a lease.
func TestWhoMayRemoveIsWhole(t *testing.T) {
	for _, r := range fsm.Table {
		words := explain.States[r.To].Remove
		if r.Write == fsm.WriteRemove {
			require.Contains(t, explain.States[r.From].Remove, "The owner, by release", r.From)
			require.NotContains(t, words, "retire")
			continue
		}
		require.Contains(t, words, "doctor", r.To)
		require.Contains(t, words, "`retire`", r.To)
	}
}

// TestEverySentinelIsInTheCatalogue reads the packages for exported Err variables. One that only gives another package's
// again is that package's.
func TestEverySentinelIsInTheCatalogue(t *testing.T) {
	var want, have []string
	for _, dir := range []string{"fsm", "persist", "persist/file", "lease/process", "lease", "lease/host"} {
		for _, spec := range specs(t, dir, token.VAR) {
			for i, name := range spec.Names {
				if !strings.HasPrefix(name.Name, "Err") || i >= len(spec.Values) {
					continue
				}
				if _, again := spec.Values[i].(*ast.SelectorExpr); !again {
					want = append(want, path.Base(dir)+"."+name.Name)
				}
			}
		}
	}
	for _, e := range explain.Errors {
		have = append(have, e.Name)
		require.NotEmpty(t, e.Cause+e.Do+e.Doctor, e.Name)
		require.Error(t, e.Err)
	}
	require.Greater(t, len(want), 20)
	require.ElementsMatch(t, want, have)
}

// TestInvariantsNameTestsThatExist looks each up in its file.
func TestInvariantsNameTestsThatExist(t *testing.T) {
	for _, i := range explain.Invariants {
		require.NotEmpty(t, i.Tests, i.Name)
		for _, x := range i.Tests {
			b, err := os.ReadFile(filepath.Join(root, x.File))
			require.NoError(t, err)
			require.Contains(t, string(b), "\nfunc "+x.Name+"(", "%s: %s", i.Name, x.File)
		}
	}
}

// constants returns the values of the string constants of a type.
func constants[T ~string](t *testing.T, dir, typ string) []T {
	var out []T
	for _, spec := range specs(t, dir, token.CONST) {
		id, ok := spec.Type.(*ast.Ident)
		if !ok || id.Name != typ {
			continue
		}
		for _, v := range spec.Values {
			s, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			require.NoError(t, err)
			out = append(out, T(s))
		}
	}
	require.NotEmpty(t, out, "%s has no %s", dir, typ)
	return out
}

// specs returns the declarations of a kind in a package's source, tests left out.
func specs(t *testing.T, dir string, kind token.Token) []*ast.ValueSpec {
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	require.NoError(t, err)
	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") })
	require.NotEmpty(t, paths)
	var out []*ast.ValueSpec
	for _, p := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != kind {
				continue
			}
			for _, s := range g.Specs {
				out = append(out, s.(*ast.ValueSpec))
			}
		}
	}
	return out
}
