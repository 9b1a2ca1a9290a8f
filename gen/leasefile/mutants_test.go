package leasefile_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMutatedDocuments checks the same as the fuzz tests on random edits: plain runs
// of the tests find what a fuzzer would need a corpus for.
func TestMutatedDocuments(t *testing.T) {
	pieces := [][]byte{
		[]byte(`"`), []byte(`,`), []byte(`}`), []byte(`{`), []byte(` `), []byte(`null`), []byte(`-`), []byte(`0`),
		[]byte(`e1`), []byte(`.0`), []byte(`\u0061`), []byte(`\ud83d\ude00`), []byte(`\ud83d`), []byte("\xff"), []byte("é"),
		[]byte("\x00"), []byte(`"host":null,`), []byte(`"pid":1,`), []byte(`"schemaVersion":1`), []byte(`parent-owned`), []byte("\n"),
	}
	random := rand.New(rand.NewPCG(1, 2))
	for name, document := range seeds(t) {
		if len(document) > 4096 {
			continue
		}
		for range 20 {
			b := slices.Clone(document)
			for range 1 + random.IntN(3) {
				at := random.IntN(len(b) + 1)
				end := min(len(b), at+random.IntN(4))
				b = slices.Replace(b, at, end, pieces[random.IntN(len(pieces))]...)
			}
			checkValue(t, b)
			checkFile(t, b)
		}
		if t.Failed() {
			t.Fatalf("a mutant of %s", name)
		}
	}
}
