package host_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite what the documents are told of the crash matrix")

// measured is what tools/leasedoc makes the document of.
const measured = "../../gen/crashes/measured.jsonl"

// place names a cell of the matrix.
type place struct {
	Story    string `json:"story"`
	Boundary string `json:"boundary"`
	Moment   string `json:"moment"`
	Killed   string `json:"killed"` // owner, gate, plugin or all
}

// cell is one kill, and what is then found. tools/leasedoc reads the names of its members.
type cell struct {
	place
	Disk    string `json:"disk"`  // what the lease says; absent
	Alive   string `json:"alive"` // who is left when everybody has done what they can: nobody, or a child of the plugin
	Acquire string `json:"acquire"`
	Outcome string `json:"outcome"` // the one word of acquire, list, show and doctor
	Rule    string `json:"rule"`
	Clears  string `json:"clears"`
}

// TestCrashMatrix kills owner, gate, plugin or all of them at every moment of Run, in every boundary, and holds what it then
// finds against what is committed. With -update it commits to what it finds.
func TestCrashMatrix(t *testing.T) {
	crasher := buildCrasher(t)
	var found []*cell
	for _, s := range stories {
		for _, kind := range s.kinds {
			t.Run(s.name+"/"+kind, func(t *testing.T) {
				available(t, kind)
				found = append(found, s.measure(t, crasher, kind)...)
			})
		}
	}
	if t.Failed() {
		return // a cell that could not be measured says so itself
	}
	if *update {
		write(t, found)
	}
	compare(t, found)
}

// atOnce is how many runs are under way at a time. They wait for the disk most of the time, so it is more than there are processors.
const atOnce = 8

// measure plays the story once for each moment and victim.
func (s story) measure(t *testing.T, crasher, kind string) (cells []*cell) {
	var running sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for at := s.first; at < len(s.moments); at++ {
		for _, victim := range s.victims(at, s.moments) {
			c := &cell{place: place{s.name, kind, s.moments[at].point, victim}}
			cells = append(cells, c)
			free <- struct{}{}
			running.Go(func() {
				defer func() { <-free }()
				t.Run(c.Moment+"/"+victim, func(t *testing.T) { c.measure(t, crasher, s, at) })
			})
		}
	}
	running.Wait()
	return cells
}

func write(t *testing.T, cells []*cell) {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cells {
		require.NoError(t, json.NewEncoder(&b).Encode(c))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(measured), 0o755))
	require.NoError(t, os.WriteFile(measured, b.Bytes(), 0o644))
}

// compare holds every cell that could be measured here against the committed one; as root that is all of them.
func compare(t *testing.T, found []*cell) {
	t.Helper()
	text, err := os.ReadFile(measured)
	require.NoError(t, err)
	committed := map[place]cell{}
	for line := range bytes.Lines(text) {
		var c cell
		require.NoError(t, json.Unmarshal(line, &c))
		committed[c.place] = c
	}
	for _, c := range found {
		require.Equal(t, committed[c.place], *c, "the crash matrix has changed: if this is meant, run the test with -update and then make gen")
	}
	if os.Geteuid() == 0 {
		require.Len(t, found, len(committed), "cells are committed that nobody measures")
	}
}

// buildCrasher builds the only program that has fault points in it.
func buildCrasher(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "crasher")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, "crasher")
	out, err := exec.Command("go", "build", "-tags", "faultpoints", "-o", path, "./testdata/crasher").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}
