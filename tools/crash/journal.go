//go:build linux

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"containlease/fsm"
	"containlease/gen/leasefile"
)

type hostIdentity = leasefile.Host

// journal is what was told of leases outside the home: the last acknowledged state of each, and what was tried after it.
type journal struct {
	acked     map[string]fsm.State
	tried     map[string][]fsm.State
	acquiring bool // an acquire was tried, of a lease that has no name yet
}

// readJournal takes whole lines only: what a victim could not say any more, it did not say. An acknowledgement counts if it
// lies within the first certain bytes; a later one is only an attempt.
func readJournal(told []byte, certain int) (journal, error) {
	j := journal{acked: map[string]fsm.State{}, tried: map[string][]fsm.State{}}
	at := 0
	for line := range bytes.Lines(told) {
		var word, id string
		var s fsm.State
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if _, err := fmt.Sscanf(string(line), "%s %q %s\n", &word, &id, &s); err != nil {
			return j, fmt.Errorf("journal line %q: %w", line, err)
		}
		at += len(line)
		switch {
		case word == "ack" && at <= certain:
			j.acked[id] = s
			delete(j.tried, id)
		case word == "try" && id == "":
			j.acquiring = true
		case word != "stop":
			j.tried[id] = append(j.tried[id], s)
		}
	}
	return j, nil
}

// promises compares the leases on disk with the journal: every acknowledged write is there, every lease is whole, and
// nothing else lies under a lease's name. It returns the states seen, and what is broken.
func (j journal) promises(home string) (seen []fsm.State, broken []string) {
	onDisk, broken := j.read(home)
	known := maps.Clone(j.acked)
	for id := range j.tried {
		if _, acked := known[id]; !acked {
			known[id] = fsm.StateReleased // it need not be there
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		found, there := onDisk[id]
		if !there {
			found = fsm.StateReleased
		}
		delete(onDisk, id)
		seen = append(seen, found)
		if found != known[id] && !slices.Contains(j.tried[id], found) {
			broken = append(broken, fmt.Sprintf("lease %s is %s: acknowledged was %s, tried %q", id, found, known[id], j.tried[id]))
		}
	}
	for id, s := range onDisk {
		seen = append(seen, s)
		if !j.acquiring || s != fsm.StateParentOwned {
			broken = append(broken, fmt.Sprintf("lease %s is %s, and nobody tried to write it", id, s))
		}
	}
	return seen, broken
}

// read returns the state of every lease in the home, and what is no whole lease.
func (j journal) read(home string) (onDisk map[string]fsm.State, broken []string) {
	onDisk = map[string]fsm.State{}
	names, err := filepath.Glob(filepath.Join(home, "leases", "*.json"))
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		l, derr := leasefile.DecodeFileNamed(filepath.Base(name), content)
		if err != nil || derr != nil {
			broken = append(broken, fmt.Sprintf("%s is not whole: %v %v", filepath.Base(name), err, derr))
			continue
		}
		onDisk[l.ID()] = fsm.State(l.(*leasefile.LeaseV2).Containment.Status)
	}
	return onDisk, broken
}

func line(s string) string { return strings.Join(strings.Fields(s), " ") }
