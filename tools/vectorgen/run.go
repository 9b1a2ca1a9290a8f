package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"containlease/tools/internal/vectors"
)

// run is the program: 0 is success, 1 is drift or a failed write, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("vectorgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "write the files instead of comparing them")
	dir := flags.String("dir", "../schema/vectors", "folder of the vectors")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	files := render()
	status := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(*dir, name)
		if *write {
			if err := os.WriteFile(path, files[name], 0o644); err != nil {
				fmt.Fprintln(stderr, "vectorgen:", err)
				return 1
			}
			continue
		}
		old, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(stderr, "vectorgen:", err)
			status = 1
		} else if line, differs := firstDifference(old, files[name]); differs {
			fmt.Fprintf(stdout, "%s, line %d is not what would be written; run vectorgen -write\n", path, line)
			status = 1
		}
	}
	return status
}

// render makes all files by name.
func render() map[string][]byte {
	return map[string][]byte{
		"cases.jsonl": lines(cases()),
		"cuts.jsonl":  lines(cuts()),
		"large.jsonl": lines(large()),
	}
}

func lines(rows []vectors.Case) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			panic(err) // rows are strings, numbers and bytes
		}
	}
	return b.Bytes()
}

func firstDifference(a, b []byte) (line int, differs bool) {
	left, right := bytes.SplitAfter(a, []byte("\n")), bytes.SplitAfter(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			return i + 1, true
		}
	}
	return min(len(left), len(right)) + 1, len(left) != len(right)
}
