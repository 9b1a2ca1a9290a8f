package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"containlease/schema"
	"containlease/tools/leasedoc/internal/explain"
	"containlease/tools/leasedoc/internal/model"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

const gen = "../../gen"

// TestNoDrift fails when the documents or the model are not what the tables say.
func TestNoDrift(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-dir", gen}, &stdout, &stderr), "%s%s", &stdout, &stderr)
}

// TestDriftIsShown walks the whole use: an empty folder differs, writing fills it, an edit shows up.
func TestDriftIsShown(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	require.Equal(t, 1, run([]string{"-dir", filepath.Join(dir, "nowhere")}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "name it by -dir")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "docs"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "model"), 0o755))
	require.Equal(t, 1, run([]string{"-dir", dir}, &stdout, &stderr))
	require.Contains(t, stdout.String(), "+++ lifecycle.md as generated")
	require.Zero(t, run([]string{"-dir", dir, "-write"}, &stdout, &stderr), stderr.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docs", "runbook.md"), []byte("else\n"), 0o644))
	stdout.Reset()
	require.Equal(t, 1, run([]string{"-dir", dir}, &stdout, &stderr))
	require.Contains(t, stdout.String(), "-else\n")
	require.NotContains(t, stdout.String(), "platforms.md")
	require.Equal(t, 2, run([]string{"-frobnicate"}, &stdout, &stderr))
}

func TestGenerationIsDeterministic(t *testing.T) {
	first, err := documents(nil, nil)
	require.NoError(t, err)
	again, err := documents(nil, nil)
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, model.Program(), model.Program())
}

// TestTheModelWasChecked wants the checker's results to be those of the present model, and every run to have come out as it must.
func TestTheModelWasChecked(t *testing.T) {
	found, err := results(gen+"/model/results.txt", model.Program())
	require.NoError(t, err)
	require.NotNil(t, found, "the model was changed: run `make model`, then `make gen`")
	runs, err := model.Runs()
	require.NoError(t, err)
	byName := map[string]model.Run{}
	for _, r := range runs {
		byName[r.Name] = r
		require.Equal(t, r.Want, found[r.Name].Outcome, r.Name)
		require.Positive(t, found[r.Name].States)
	}
	require.Len(t, found, len(runs))
	for _, i := range explain.Invariants {
		want := "breaks " + i.Name
		require.Equal(t, want, byName[i.Breaks].Want, "the mutant of %s", i.Name)
	}
}

func TestLifecycleObeysItsSchema(t *testing.T) {
	text, ok := schema.Read("lifecycle-v1")
	require.True(t, ok)
	shape, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	name := shape.(map[string]any)["$id"].(string)
	require.NoError(t, c.AddResource(name, shape))
	compiled, err := c.Compile(name)
	require.NoError(t, err)
	b, err := os.ReadFile(gen + "/docs/lifecycle.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(document))

	var loose map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.Replace(string(b), `"arrows"`, `"arrow"`, 1)), &loose))
	require.Error(t, compiled.Validate(loose), "a schema that refuses nothing")
}
