package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"containlease/schema"

	reflector "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// outputs are the JSON documents of the commands, by the name of their published schema.
var outputs = map[string]any{
	"list-v1": listing{}, "show-v1": showing{}, "doctor-v1": findings{}, "validate-v1": validation{}, "status-v1": status{},
	"plugins-v1": pluginList{}, "schemas-v1": schemaNames{}, "version-v1": versionInfo{},
	"fleet-v1": fleetListing{}, "change-v1": fleetChange{},
	"event-v1": event{}, "decision-v1": decided{}, "stop-v1": stopResult{},
}

// tree is a schema as any JSON reader has it.
type tree = map[string]any

func parsed(t *testing.T, text []byte) tree {
	t.Helper()
	var root tree
	require.NoError(t, json.Unmarshal(text, &root))
	return root
}

// TestOutputsAreTheirSchemas: the members of the types that are printed, and of everything below them, are exactly those
// of the published schemas, required or not, of the same JSON type.
func TestOutputsAreTheirSchemas(t *testing.T) {
	for name, document := range outputs {
		text, ok := schema.Read(name)
		require.True(t, ok, name)
		r := reflector.Reflector{Anonymous: true, ExpandedStruct: true}
		reflected, err := json.Marshal(r.Reflect(document))
		require.NoError(t, err)
		published, printed := parsed(t, text), parsed(t, reflected)
		sameMembers(t, name, published, published, printed, printed)
		require.Equal(t, tree{"description": "Name and version of this document.", "const": "containlease/" + name}, published["properties"].(tree)["schema"])
	}
}

// sameMembers compares two schemas, each below its root, that describe the same value.
func sameMembers(t *testing.T, where string, rootA tree, a any, rootB tree, b any) {
	t.Helper()
	left, right := follow(rootA, a), follow(rootB, b)
	if left == nil || right == nil || strings.HasPrefix(where, "plugins-v1/plugins/") {
		return // a record of the home has a schema of its own
	}
	membersA, _ := left["properties"].(tree)
	membersB, _ := right["properties"].(tree)
	for name, member := range membersA {
		require.Contains(t, membersB, name, where)
		sameMembers(t, where+"/"+name, rootA, member, rootB, membersB[name])
	}
	require.Len(t, membersA, len(membersB), where)
	if membersA != nil {
		require.Equal(t, false, left["additionalProperties"], where)
		require.ElementsMatch(t, right["required"], left["required"], where)
	}
	if left["const"] == nil && left["enum"] == nil {
		require.Equal(t, right["type"], left["type"], where)
	}
	sameMembers(t, where+"/items", rootA, left["items"], rootB, right["items"])
}

// follow follows a reference, and takes the value of "this or null".
func follow(root tree, s any) tree {
	at, _ := s.(tree)
	if ref, ok := at["$ref"].(string); ok {
		at = root["$defs"].(tree)[strings.TrimPrefix(ref, "#/$defs/")].(tree)
	}
	if choice, ok := at["oneOf"].([]any); ok && at["properties"] == nil {
		return follow(root, choice[0])
	}
	return at
}

// TestPluginsHoldThePluginRecord: what plugins-v1 says of a record is what plugin-v1 says.
func TestPluginsHoldThePluginRecord(t *testing.T) {
	text, _ := schema.Read("plugins-v1")
	list := parsed(t, text)["$defs"].(tree)
	text, _ = schema.Read("plugin-v1")
	record := parsed(t, text)
	for name, definition := range record["$defs"].(tree) {
		require.Equal(t, definition, list[name], name)
	}
	require.Equal(t, record["properties"], list["pluginRecord"].(tree)["properties"])
	require.Equal(t, record["required"], list["pluginRecord"].(tree)["required"])
}

// TestRealOutputObeysItsSchema asks commands that need no home. The sessions in testdata do the same for all others: each of
// their json commands validates the whole document.
func TestRealOutputObeysItsSchema(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.json")
	require.NoError(t, os.WriteFile(good, sample("3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53").AppendCanonical(nil), 0o600))
	bad := filepath.Join(dir, "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte(`{"owner":{"pid":0}}`), 0o600))
	for _, args := range [][]string{{"version"}, {"schema"}, {"validate", good}, {"validate", good, bad, filepath.Join(dir, "ghost")}, {"validate", dir}} {
		var stdout, stderr bytes.Buffer
		Do(append(args, "--output", "json"), nil, &stdout, &stderr)
		require.Empty(t, stderr.String())
		document, err := jsonschema.UnmarshalJSON(&stdout)
		require.NoError(t, err)
		name := strings.TrimPrefix(document.(tree)["schema"].(string), "containlease/")
		compiled := compile(t, name)
		require.NoError(t, compiled.Validate(document), "%v", args)
		document.(tree)["extra"] = true
		require.Error(t, compiled.Validate(document), "%s is not closed", name)
	}
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := schema.Read(name)
	require.True(t, ok, name)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource(name+".json", document))
	compiled, err := compiler.Compile(name + ".json")
	require.NoError(t, err)
	return compiled
}
