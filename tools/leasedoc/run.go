package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"containlease/tools/internal/drift"
	"containlease/tools/leasedoc/internal/book"
	"containlease/tools/leasedoc/internal/crashes"
	"containlease/tools/leasedoc/internal/model"
	"containlease/tools/leasedoc/internal/page"
	"containlease/tools/leasedoc/internal/picture"
)

// run is the program: 0 is success, 1 is drift or a value without an explanation, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("leasedoc", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "write the generated files instead of comparing them")
	dir := flags.String("dir", "../gen", "folder with docs, model and crashes")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	changes, err := bring(*dir, *write)
	if err != nil {
		fmt.Fprintln(stderr, "leasedoc:", err)
		return 1
	}
	if changes != "" {
		fmt.Fprint(stdout, changes)
		fmt.Fprintln(stderr, "leasedoc: the documents are not what the tables say; run leasedoc -write")
		return 1
	}
	return 0
}

// bring writes the files if it shall, and returns how they then differ.
func bring(dir string, write bool) (changes string, err error) {
	docs := drift.Folder{Dir: filepath.Join(dir, "docs"), Pattern: "*"}
	models := drift.Folder{Dir: filepath.Join(dir, "model"), Pattern: "*.pml"}
	program := model.Program()
	found, err := results(filepath.Join(models.Dir, "results.txt"), program)
	if err != nil {
		return "", err
	}
	cells, err := crashes.Read(filepath.Join(dir, "crashes", "measured.jsonl"))
	if err != nil {
		return "", err
	}
	files, err := documents(found, cells)
	if err != nil {
		return "", err
	}
	for _, part := range []struct {
		folder drift.Folder
		files  map[string][]byte
	}{{docs, files}, {models, map[string][]byte{"lease.pml": []byte(program)}}} {
		if write {
			if err := os.MkdirAll(part.folder.Dir, 0o755); err != nil {
				return "", err
			}
			if err := part.folder.Replace(part.files); err != nil {
				return "", err
			}
		}
		more, err := part.folder.Compare(part.files)
		if err != nil {
			return "", err
		}
		changes += more
	}
	return changes, nil
}

// results reads what the checker found; none where it was another model, which the documents then say.
func results(path, program string) (map[string]model.Result, error) {
	runs, err := model.Runs()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	digest, rows, err := model.Parse(string(text))
	if err != nil || digest != model.Digest(program, runs) {
		return nil, err
	}
	found := map[string]model.Result{}
	for _, r := range rows {
		found[r.Run] = r
	}
	return found, nil
}

// documents makes everything in gen/docs.
func documents(found map[string]model.Result, cells []crashes.Cell) (map[string][]byte, error) {
	files, err := book.Files(found, cells)
	if err != nil {
		return nil, err
	}
	svg, err := picture.SVG(false)
	if err != nil {
		return nil, err
	}
	html, err := page.HTML()
	if err != nil {
		return nil, err
	}
	files["lifecycle.svg"], files["index.html"] = []byte(svg), []byte(html)
	return files, nil
}
