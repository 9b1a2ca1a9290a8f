package schema_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/schema"
)

func TestEverySchemaSaysWhatItIs(t *testing.T) {
	names := schema.Names()
	require.True(t, slices.IsSorted(names))
	require.Subset(t, names, []string{"audit-v1", "empty-v1", "evidence-v1", "evidence-v2", "home-v1", "identity-v1", "lease-v1", "lease-v2", "plugin-v1"})
	for _, name := range names {
		text, ok := schema.Read(name)
		require.True(t, ok, name)
		var root map[string]any
		require.NoError(t, json.Unmarshal(text, &root), name)
		require.Equal(t, "https://json-schema.org/draft/2020-12/schema", root["$schema"], name)
		require.Equal(t, "urn:containlease:schema:"+name, root["$id"])
		require.NotEmpty(t, root["title"], name)
		require.NotEmpty(t, root["description"], name)
		if definitions, ok := root["$defs"].(map[string]any); ok {
			described(t, name+"/$defs", definitions)
		}
		if members, ok := root["properties"].(map[string]any); ok {
			described(t, name+"/properties", members)
		}
	}
}

// described requires words for people on each definition and each member.
func described(t *testing.T, where string, schemas map[string]any) {
	t.Helper()
	for name, s := range schemas {
		s := s.(map[string]any)
		require.True(t, s["title"] != nil || s["description"] != nil, "%s/%s", where, name)
		if members, ok := s["properties"].(map[string]any); ok {
			described(t, where+"/"+name, members)
		}
	}
}

func TestRead(t *testing.T) {
	_, ok := schema.Read("lease-v9")
	require.False(t, ok)
	first, _ := schema.Read("lease-v2")
	clear(first)
	second, _ := schema.Read("lease-v2")
	require.NotEqual(t, first, second, "the caller owns the slice")
}
