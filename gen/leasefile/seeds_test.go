package leasefile_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// seeds are the documents of the vectors, by name.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	f, err := os.Open("../../schema/vectors/decode.jsonl")
	require.NoError(t, err)
	defer f.Close()
	documents := map[string][]byte{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct {
			Name  string
			Bytes []byte
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		documents[row.Name] = row.Bytes
	}
	require.NoError(t, lines.Err())
	return documents
}

func seed(t testing.TB, name string) []byte {
	t.Helper()
	document, ok := seeds(t)[name]
	require.True(t, ok, name)
	return document
}
