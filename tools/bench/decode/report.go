package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"containlease/tools/internal/vectors"
)

// figures are what one way was measured to take.
type figures struct {
	nanos         []float64 // of each round, sorted
	allocs, bytes int64
	wrong         int // verdicts that differ from the schema's
}

// best is what it takes when neither a neighbour nor the collector comes between; median has its share of both.
func (f *figures) best() float64   { return f.nanos[0] }
func (f *figures) median() float64 { return f.nanos[len(f.nanos)/2] }

// report measures everything and writes the section of BENCHMARKS.md.
func report(root string, rounds int) (string, error) {
	cases, err := vectors.Read[trial](filepath.Join(root, "schema/vectors/cases.jsonl"))
	if err != nil {
		return "", err
	}
	all, err := ways()
	if err != nil {
		return "", err
	}
	measured, err := measure(all, cases, rounds)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprint(&b, "## Reading a lease\n\n")
	fmt.Fprintf(&b, "Go %s on %s/%s; a canonical lease of version 2 with a host, %d bytes; %d short rounds in turns.\n\n", strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, len(cases[0].Bytes), rounds)
	fmt.Fprintf(&b, "| way | ns, best | ns, median | allocations | bytes | times `Decode` | wrong of %d |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", version2(cases))
	for i, way := range all {
		m, wrong := measured[i], fmt.Sprint(measured[i].wrong)
		if way.name == hashOnly || way.name == ourFile {
			wrong = "" // another question: the file level
		}
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %d | %d | %.2f | %s |\n", way.name, m.best(), m.median(), m.allocs, m.bytes, m.best()/measured[0].best(), wrong)
	}
	fmt.Fprintf(&b, "\n`Decode` takes 1/%.1f of encoding/json (wanted: at most 1/8) and %d allocation (at most 1); `DecodeFile` with its sha256 takes %.2f times the sha256 alone (at most 2.5).\n\n",
		measured[3].best()/measured[0].best(), measured[0].allocs, measured[1].best()/measured[2].best())
	err = sizes(&b, root)
	return b.String(), err
}

// trial is a row of cases.jsonl, as far as it is needed here.
type trial struct {
	Bytes []byte
	Name  string
	Value struct{ OK bool }
}

// ofVersion2 tells whether all ways can be asked: some know version 2 only.
func (c trial) ofVersion2() bool { return !strings.HasPrefix(c.Name, "v1/") }

func version2(cases []trial) (n int) {
	for _, c := range cases {
		if c.ofVersion2() {
			n++
		}
	}
	return n
}

var errRefused = errors.New("it refuses a valid lease")

func measure(all []way, cases []trial, rounds int) ([]figures, error) {
	measured := make([]figures, len(all))
	for range rounds {
		for i, way := range all {
			if err := way.read(cases[0].Bytes); err != nil {
				return nil, fmt.Errorf("%s: %w: %w", way.name, errRefused, err)
			}
			r := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = way.read(cases[0].Bytes) // it does not refuse it, as was just seen
				}
			})
			m := &measured[i]
			m.nanos = append(m.nanos, float64(r.T.Nanoseconds())/float64(r.N))
			m.allocs, m.bytes = r.AllocsPerOp(), r.AllocedBytesPerOp()
		}
	}
	for i, way := range all {
		slices.Sort(measured[i].nanos)
		for _, c := range cases {
			if c.ofVersion2() && (way.read(c.Bytes) == nil) != c.Value.OK {
				measured[i].wrong++
			}
		}
	}
	return measured, nil
}
