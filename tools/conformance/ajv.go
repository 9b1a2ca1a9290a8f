package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"containlease/schema"
)

// askAjv asks Ajv about all subjects, through walk.mjs of the vectors in a folder of
// its own that holds the validator, the schemas and the script.
func askAjv(ctx context.Context, dir string, s *subjects) ([]byte, error) {
	room, err := os.MkdirTemp("", "containlease-ajv-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(room)
	folder := filepath.Join(room, "vectors")
	if err := furnish(room, folder, dir); err != nil {
		return nil, err
	}
	if err := install(ctx, folder); err != nil {
		return nil, err
	}
	return letters(ctx, folder, s)
}

// install fetches the pinned version of Ajv into folder.
func install(ctx context.Context, folder string) error {
	npm := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = folder
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: npm ci: %w\n%s", errNoAjv, err, out)
	}
	return nil
}

// script is the walk of the vectors in folder.
func script(ctx context.Context, folder string, args ...string) *exec.Cmd {
	node := exec.CommandContext(ctx, "node", append([]string{"walk.mjs"}, args...)...)
	node.Dir = folder
	return node
}

// letters feeds the rows to the script and reads one letter for each.
func letters(ctx context.Context, folder string, s *subjects) ([]byte, error) {
	node := script(ctx, folder, "-")
	var answer, problem bytes.Buffer
	node.Stdout, node.Stderr = &answer, &problem
	in, err := node.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := node.Start(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoAjv, err)
	}
	written := writeRows(in, s)
	if err := node.Wait(); err != nil {
		return nil, fmt.Errorf("walk.mjs: %w\n%s", err, &problem)
	}
	got := bytes.TrimSpace(answer.Bytes())
	if len(got) != s.len() {
		return nil, fmt.Errorf("walk.mjs answered %d times for %d documents (%w)", len(got), s.len(), written)
	}
	return got, written
}

// writeRows sends the corpus as it is, and mutants as edits of it: whole they would be
// twenty times as long.
func writeRows(in io.WriteCloser, s *subjects) error {
	w := bufio.NewWriter(in)
	enc := json.NewEncoder(w)
	for i, document := range s.documents {
		if err := enc.Encode(map[string]any{"name": fmt.Sprint(i), "bytes": document.Bytes}); err != nil {
			return err
		}
	}
	for _, m := range s.mutants {
		if err := enc.Encode(map[string]any{"base": fmt.Sprint(m.base), "edits": m.edits}); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return in.Close()
}

// furnish puts the schemas, the script and the list of packages where node finds them.
func furnish(room, folder, dir string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	for _, name := range schema.Names() {
		text, _ := schema.Read(name)
		if err := os.WriteFile(filepath.Join(room, name+".schema.json"), text, 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"walk.mjs", "package.json", "package-lock.json", "disagreements.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
