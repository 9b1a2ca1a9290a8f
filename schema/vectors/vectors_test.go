package vectors

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
)

// fileName is the file that every row of decode.jsonl is judged under.
const fileName = "3f2b8c1e-5d47-4a90-8b1f-6c0d2e9a7f53.json"

// document is a row of decode.jsonl.
type document struct {
	Name   string
	Bytes  []byte
	Strict bool
	File   bool
}

// mutant is a row of mutants.jsonl: a document of decode.jsonl with edits.
type mutant struct {
	Base   string
	Edits  []edit
	Strict bool
	File   bool
}

// edit is [offset, bytes deleted, base64 inserted].
type edit struct {
	Offset, Deleted int
	Inserted        []byte
}

func (e *edit) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&e.Offset, &e.Deleted, &e.Inserted})
}

func (e edit) apply(b []byte) []byte {
	out := append([]byte{}, b[:e.Offset]...)
	out = append(out, e.Inserted...)
	return append(out, b[e.Offset+e.Deleted:]...)
}

// read decodes a file of one JSON object a line.
func read[Row any](t *testing.T, path string) []Row {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var rows []Row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row Row
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	require.NoError(t, lines.Err())
	return rows
}

func TestDecode(t *testing.T) {
	rows := read[document](t, "decode.jsonl")
	require.Len(t, rows, 119)
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			_, err := leasefile.Decode(row.Bytes)
			require.Equal(t, row.Strict, err == nil, "Decode: %v", err)
			_, err = leasefile.DecodeFileNamed(fileName, row.Bytes)
			require.Equal(t, row.File, err == nil, "DecodeFileNamed: %v", err)
		})
	}
}

func TestMutants(t *testing.T) {
	bases := map[string][]byte{}
	for _, row := range read[document](t, "decode.jsonl") {
		bases[row.Name] = row.Bytes
	}
	rows := read[mutant](t, "mutants.jsonl")
	require.Len(t, rows, 4514)
	for i, row := range rows {
		b, known := bases[row.Base]
		require.True(t, known, row.Base)
		for _, edit := range row.Edits {
			b = edit.apply(b)
		}
		_, err := leasefile.Decode(b)
		require.Equal(t, row.Strict, err == nil, "row %d, Decode: %v\n%s", i+1, err, b)
		_, err = leasefile.DecodeFile(b)
		require.Equal(t, row.File, err == nil, "row %d, DecodeFile: %v\n%s", i+1, err, b)
	}
}
