package model

import (
	"fmt"
	"strings"

	"containlease/tools/leasedoc/model"
)

// Holds is the Want of a run in which no invariant may break.
const Holds = "holds"

// Run is one exhaustive search.
type Run struct {
	Name     string
	Want     string   // Holds, or "breaks I1"
	Switches []string // defined for this run
	About    string
}

// Runs returns every run, in the order of runs.txt.
func Runs() ([]Run, error) {
	var out []Run
	for line := range strings.Lines(model.Runs) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 4 {
			return nil, fmt.Errorf("runs.txt: %q has not four fields", line)
		}
		out = append(out, Run{strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]),
			strings.Fields(fields[2]), strings.TrimSpace(fields[3])})
	}
	return out, nil
}
