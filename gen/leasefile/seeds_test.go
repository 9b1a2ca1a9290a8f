package leasefile_test

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// seeds are the documents of the vectors, by name.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	documents, err := loadSeeds()
	require.NoError(t, err)
	return documents
}

// loadSeeds reads them once: a fuzz test asks for one of them every time.
var loadSeeds = sync.OnceValues(func() (map[string][]byte, error) {
	documents := map[string][]byte{}
	for _, name := range []string{"decode.jsonl", "cases.jsonl"} {
		text, err := os.ReadFile("../../schema/vectors/" + name)
		if err != nil {
			return nil, err
		}
		for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
			var row struct {
				Name  string
				Bytes []byte
			}
			if err := dec.Decode(&row); err != nil {
				return nil, err
			}
			documents[row.Name] = row.Bytes
		}
	}
	return documents, nil
})

func seed(t testing.TB, name string) []byte {
	t.Helper()
	document, ok := seeds(t)[name]
	require.True(t, ok, name)
	return document
}
