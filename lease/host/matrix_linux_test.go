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
	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "rewrite what the documents are told of the crash matrix")

// measured is what tools/leasedoc makes the document of.
const measured = "../../gen/crashes/measured.jsonl"

// place names a cell of the matrix.
type place struct {
	Story    string `json:"story"`
	Boundary string `json:"boundary"`
	Moment   string `json:"moment"`
	Killed   string `json:"killed"` // owner, front, gate, plugin or all
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

	at    int  // of the moment, in its story
	typed bool // the commands are typed as well
}

// measured reports whether the cell was not skipped, by the boundary or the flag -run.
func (c *cell) measured() bool { return c.Clears != "" }

// TestCrashMatrix kills owner, front, gate, plugin or all of them at every moment of Run and Prepare, in every boundary, and holds what it then
// finds against what is committed. With -update it commits to what it finds.
func TestCrashMatrix(t *testing.T) {
	// Orphans come to us, and are reaped at a known time: a zombie is told from a process that is gone.
	require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
	defer func() { require.NoError(t, unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)) }()
	crasher, operator := buildCrasher(t), newTypist(t)
	planned := map[string][]*cell{}
	var cells []*cell
	for _, s := range stories {
		for _, kind := range s.kinds {
			planned[s.name+"/"+kind] = s.cells(kind)
			cells = append(cells, planned[s.name+"/"+kind]...)
		}
	}
	require.Greater(t, sample(cells, readCommitted(t)), 20)
	for _, s := range stories {
		for _, kind := range s.kinds {
			t.Run(s.name+"/"+kind, func(t *testing.T) {
				available(t, kind)
				s.measure(t, crasher, operator, planned[s.name+"/"+kind])
			})
		}
	}
	if t.Failed() {
		return // a cell that could not be measured says so itself
	}
	if *update {
		write(t, cells)
	}
	compare(t, cells)
}

// cells are the story's, to be measured: one for each moment and victim.
func (s story) cells(kind string) (cells []*cell) {
	for at := s.first; at < len(s.moments); at++ {
		for _, victim := range s.victims(at, s.moments) {
			cells = append(cells, &cell{place: place{s.name, kind, s.moments[at].point, victim}, at: at})
		}
	}
	return cells
}

// atOnce is how many runs are under way at a time. They wait for the disk most of the time, so it is more than there are processors.
const atOnce = 8

// measure plays the story once for each cell.
func (s story) measure(t *testing.T, crasher string, operator typist, cells []*cell) {
	var running sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, c := range cells {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t.Run(c.Moment+"/"+c.Killed, func(t *testing.T) { c.measure(t, crasher, operator, s) })
		})
	}
	running.Wait()
}

func write(t *testing.T, cells []*cell) {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cells {
		require.True(t, c.measured(), "only the whole matrix can be committed: %+v", c.place)
		require.NoError(t, json.NewEncoder(&b).Encode(c))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(measured), 0o755))
	require.NoError(t, os.WriteFile(measured, b.Bytes(), 0o644))
}

func readCommitted(t *testing.T) map[place]cell {
	t.Helper()
	text, err := os.ReadFile(measured)
	require.NoError(t, err)
	committed := map[place]cell{}
	for line := range bytes.Lines(text) {
		var c cell
		require.NoError(t, json.Unmarshal(line, &c))
		committed[c.place] = c
	}
	return committed
}

// compare holds every cell that was measured against the committed one.
func compare(t *testing.T, cells []*cell) {
	t.Helper()
	committed := readCommitted(t)
	require.Len(t, cells, len(committed), "cells are committed that nobody measures")
	for _, c := range cells {
		want := committed[c.place]
		want.at, want.typed = c.at, c.typed
		if c.measured() {
			require.Equal(t, want, *c, "the crash matrix has changed: if this is meant, run the test with -update and then make gen")
		}
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
