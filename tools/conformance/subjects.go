package main

import (
	"math/rand/v2"

	"containlease/tools/internal/vectors"
)

// subjects are all documents that the validators are asked about: the corpus, then the
// mutants, which are made when they are needed.
type subjects struct {
	documents []vectors.Document
	mutants   []mutant
}

// mutant is a document of the corpus with edits.
type mutant struct {
	base  int
	edits []vectors.Edit
}

func (s *subjects) len() int { return len(s.documents) + len(s.mutants) }

func (s *subjects) bytes(i int) []byte {
	if i < len(s.documents) {
		return s.documents[i].Bytes
	}
	m := s.mutants[i-len(s.documents)]
	b := s.documents[m.base].Bytes
	for _, edit := range m.edits {
		b = edit.Apply(b)
	}
	return b
}

func (s *subjects) each(visit func(i int, b []byte)) {
	for i := range s.len() {
		visit(i, s.bytes(i))
	}
}

// pieces are what random edits insert: bytes that mean something to a JSON reader, and
// words of leases.
var pieces = [][]byte{
	[]byte(`"`), []byte(`,`), []byte(`:`), []byte(`{`), []byte(`}`), []byte(`[`), []byte(`]`), []byte(` `), []byte("\n"), []byte("\t"), []byte(`null`), []byte(`true`), []byte(`-`), []byte(`0`), []byte(`1`), []byte(`9`),
	[]byte(`e1`), []byte(`E-1`), []byte(`.0`), []byte(`.5`), []byte(`0000000000000000000000`), []byte(`\u0061`), []byte(`\ud83d\ude00`), []byte(`\ud83d`), []byte(`\/`), []byte("\xff"), []byte("é"), []byte("\u212a"), []byte("\x00"), []byte("\x7f"), []byte("\ufeff"),
	[]byte(`"host":null,`), []byte(`"pid":1,`), []byte(`,"schemaVersion":1`), []byte(`"schemaVersion":2,`), []byte(`parent-owned`), []byte(`cleanup-unsafe`), []byte(`host-active`), []byte(`a`), []byte(`-a`), []byte(`f`), []byte(`A`), []byte(`.`), []byte(`+`), []byte(`02-29`),
}

// mutants makes count random mutants of the corpus, always the same ones: half of them
// of valid documents, since few edits make a wrong one right.
func mutants(documents []vectors.Document, count int) []mutant {
	const largest = 4 << 10
	var bases [2][]int // wrong ones and right ones
	for i, document := range documents {
		if n := len(document.Bytes); n < largest {
			right := 0
			if decode(document.Bytes) == "" {
				right = 1
			}
			bases[right] = append(bases[right], i)
		}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]mutant, count)
	for i := range all {
		among := bases[i%2]
		all[i].base = among[random.IntN(len(among))]
		size := len(documents[all[i].base].Bytes)
		for range 1 + random.IntN(3) {
			edit := edit(random, size)
			size += len(edit.Inserted) - edit.Deleted
			all[i].edits = append(all[i].edits, edit)
		}
	}
	return all
}

// edit replaces up to three bytes by a piece, by one random byte, or by nothing.
func edit(random *rand.Rand, size int) vectors.Edit {
	at := random.IntN(size + 1)
	e := vectors.Edit{Offset: at, Deleted: min(size-at, random.IntN(4))}
	switch random.IntN(8) {
	case 0:
		e.Inserted = []byte{byte(random.IntN(256))}
	case 1:
	default:
		e.Inserted = pieces[random.IntN(len(pieces))]
	}
	return e
}
