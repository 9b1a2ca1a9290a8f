package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"containlease/fsm"
)

// step is one recorded event.
type step struct {
	from    fsm.State
	event   fsm.Event
	outcome string // as recorder.go.txt spells it
	to      fsm.State
}

// judge reads every record in dir and holds them against the table, both ways.
func judge(dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	if err != nil {
		return "", err
	}
	counts, events := map[step]int{}, 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(string(text)) {
			var s step
			if _, err := fmt.Sscan(line, &s.from, &s.event, &s.outcome, &s.to); err != nil {
				return "", fmt.Errorf("%s: %q: %w", path, line, err)
			}
			counts[s]++
			events++
		}
	}
	wanted := cells()
	if err := errors.Join(against(counts), missing(counts, wanted)); err != nil {
		return "", err
	}
	return fmt.Sprintf("traces: %d events in %d processes; each is of the table, and each of its %d cells was exercised", events, len(paths), len(wanted)), nil
}

// against returns the records that the table does not allow.
func against(counts map[step]int) (err error) {
	for s, n := range counts {
		if !allowed(s) {
			err = errors.Join(err, fmt.Errorf("against the table, %d times: %s in %s: %s, to %s", n, s.event, s.from, s.outcome, s.to))
		}
	}
	return err
}

// allowed reports whether the table has such a step.
func allowed(s step) bool {
	row, arrow := fsm.Find(s.from, s.event)
	class, refused := fsm.Refusal(s.from, s.event)
	switch s.outcome {
	case "moved", "in-doubt", "settled":
		return arrow && s.to == row.To
	case "failed", "panicked":
		return arrow && s.to == s.from
	case "repeated":
		return fsm.IsNoOp(s.from, s.event) && s.to == s.from
	case "busy", "canceled": // refused before the table is asked
		return s.to == s.from
	}
	given, _ := strings.CutPrefix(s.outcome, "refused:")
	return s.to == s.from && given != "" && (refused && given == string(class) || arrow && given == string(guardOf(row)))
}

// guardOf is the class by which an arrow's own host rule refuses; "" for an arrow without one.
func guardOf(r fsm.Row) fsm.Class {
	switch r.Host {
	case fsm.HostRecord:
		return fsm.OutOfOrder
	case fsm.HostSame:
		return fsm.HostAdmissionChanged
	}
	return ""
}

// cells is every step that some test must take: each arrow by each outcome of its write and by its guard's refusal, each repeat,
// each refused pair of state and event.
func cells() (out []step) {
	for _, s := range fsm.States {
		for _, ev := range fsm.Events {
			row, arrow := fsm.Find(s, ev)
			if !arrow {
				outcome := "repeated"
				if class, refused := fsm.Refusal(s, ev); refused {
					outcome = "refused:" + string(class)
				}
				out = append(out, step{s, ev, outcome, s})
				continue
			}
			out = append(out, step{s, ev, "moved", row.To}, step{s, ev, "in-doubt", row.To}, step{s, ev, "settled", row.To},
				step{s, ev, "failed", s})
			if class := guardOf(row); class != "" {
				out = append(out, step{s, ev, "refused:" + string(class), s})
			}
		}
	}
	return out
}

// missing returns the cells that no test has exercised.
func missing(counts map[step]int, wanted []step) (err error) {
	for _, s := range wanted {
		if counts[s] == 0 {
			err = errors.Join(err, fmt.Errorf("no test has seen %s in %s: %s", s.event, s.from, s.outcome))
		}
	}
	return err
}
