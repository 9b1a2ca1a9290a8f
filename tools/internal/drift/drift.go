// Package drift holds generated files against what the generator says now. It is what makes every generator of this
// repository print a diff by default and write on demand.
package drift

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is a folder with generated files: those whose names match Pattern, as in filepath.Match. Other files in it are
// left alone.
type Folder struct {
	Dir, Pattern string
}

// generated returns the generated files that are in the folder, by name.
func (f Folder) generated() (map[string][]byte, error) {
	// A pattern matches nothing in a folder that is not there: say so instead.
	if _, err := os.ReadDir(f.Dir); err != nil {
		return nil, fmt.Errorf("the folder of the generated files: %w; run the generator in the folder tools, or name it by -dir", err)
	}
	paths, err := filepath.Glob(filepath.Join(f.Dir, f.Pattern))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Replace makes the generated files in the folder exactly these, without touching those
// that are right already.
func (f Folder) Replace(files map[string][]byte) error {
	old, err := f.generated()
	if err != nil {
		return err
	}
	for name := range old {
		if _, keep := files[name]; !keep {
			if err := os.Remove(filepath.Join(f.Dir, name)); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if bytes.Equal(old[name], text) {
			continue
		}
		if err := os.WriteFile(filepath.Join(f.Dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Compare describes how the generated files in the folder differ from these; "" where they do not.
func (f Folder) Compare(files map[string][]byte) (string, error) {
	old, err := f.generated()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !bytes.Equal(old[name], files[name]) {
			fmt.Fprintf(&b, "--- %s as it is\n+++ %s as generated\n", name, name)
			diff(&b, lines(old[name]), lines(files[name]))
		}
		delete(old, name)
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		fmt.Fprintf(&b, "--- %s is no longer generated\n", name)
	}
	return b.String(), nil
}

func lines(text []byte) []string {
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// diff prints the lines that differ between the common beginning and the common
// end: files of this size need nothing cleverer.
func diff(b *strings.Builder, old, new []string) {
	begin := 0
	for begin < len(old) && begin < len(new) && old[begin] == new[begin] {
		begin++
	}
	end := 0
	for end < len(old)-begin && end < len(new)-begin && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	fmt.Fprintf(b, "@@ line %d @@\n", begin+1)
	for _, line := range old[begin : len(old)-end] {
		fmt.Fprintf(b, "-%s\n", line)
	}
	for _, line := range new[begin : len(new)-end] {
		fmt.Fprintf(b, "+%s\n", line)
	}
}
