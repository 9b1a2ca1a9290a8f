package vectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"containlease/gen/leasefile"
	"containlease/gen/wire"
)

// oneCase is a row of cases.jsonl, cuts.jsonl or large.jsonl.
type oneCase struct {
	Name, Base string
	Bytes      []byte
	Edits      []edit
	Parts      []part
	FileName   string
	Schema     *bool
	Value      answer
	File       answer
}

// part is [bytes, how often they are repeated].
type part struct {
	Bytes []byte
	Times int
}

func (p *part) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&p.Bytes, &p.Times}) }

// answer is a verdict at one level.
type answer struct {
	OK            bool
	Code, Pointer string
	Offset        int
}

func answerOf(err error) answer {
	var e *leasefile.DecodeError
	if !errors.As(err, &e) {
		return answer{OK: err == nil}
	}
	return answer{Code: string(e.Code), Pointer: e.Pointer, Offset: e.Offset}
}

// check compares both levels with the row, and what a schema says with the first.
func (c *oneCase) check(t *testing.T, b []byte) {
	_, err := leasefile.Decode(b)
	assert.Equal(t, c.Value, answerOf(err), "%s, Decode: %v", c.Name, err)
	if c.Schema != nil {
		assert.Equal(t, *c.Schema, c.Value.OK, c.Name)
	}
	if c.FileName != "" {
		_, err = leasefile.DecodeFileNamed(c.FileName, b)
	} else {
		_, err = leasefile.DecodeFile(b)
	}
	assert.Equal(t, c.File, answerOf(err), "%s, DecodeFile: %v", c.Name, err)
}

func TestCases(t *testing.T) {
	documents := map[string][]byte{}
	codes := map[string]bool{}
	for _, row := range read[oneCase](t, "cases.jsonl") {
		_, twice := documents[row.Name]
		require.False(t, twice, row.Name)
		documents[row.Name] = row.Bytes
		codes[row.Value.Code], codes[row.File.Code] = true, true
		row.check(t, row.Bytes)
	}
	cuts := read[oneCase](t, "cuts.jsonl")
	require.NotEmpty(t, cuts)
	for _, row := range cuts {
		b, known := documents[row.Base]
		require.True(t, known, row.Base)
		for _, edit := range row.Edits {
			b = edit.apply(b)
		}
		row.check(t, b)
	}
	for _, row := range read[oneCase](t, "large.jsonl") {
		codes[row.File.Code] = true
	}
	for _, code := range wire.Codes {
		require.True(t, codes[string(code)], "no case is refused for %s", code)
	}
}

// TestLargeDocuments: whatever comes, it is read at most once, and nothing is allocated
// in proportion to it.
func TestLargeDocuments(t *testing.T) {
	const bound = 64 << 10 // bytes: a lease, an error, and what finding a file's pointer takes
	for _, row := range read[oneCase](t, "large.jsonl") {
		t.Run(row.Name, func(t *testing.T) {
			var b []byte
			for _, part := range row.Parts {
				b = append(b, bytes.Repeat(part.Bytes, part.Times)...)
			}
			row.check(t, b)
			for _, decode := range []func([]byte) (leasefile.Lease, error){leasefile.Decode, leasefile.DecodeFile} {
				require.Less(t, allocated(func() { _, _ = decode(b) }), uint64(bound))
			}
		})
	}
}

// allocated returns how many bytes f allocates: the least of three calls, since other
// goroutines of the test allocate too.
func allocated(f func()) uint64 {
	least := ^uint64(0)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
