// Package section lets several programs write one document: each replaces what stands between its own two marks, and leaves
// the rest as it is.
package section

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Replace puts text, whole lines, between the marks of the section called name. A section that the file lacks is added at its
// end, marks and all. A file that cannot be read is not made anew: what others wrote there would be lost.
func Replace(file, name, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	from, to := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, found := strings.Cut(string(old), from)
	_, after, closed := strings.Cut(rest, to)
	switch {
	case !found:
		before += "\n"
	case !closed:
		return fmt.Errorf("%s: section %s has no end", filepath.Base(file), name)
	}
	return os.WriteFile(file, []byte(before+from+text+to+after), 0o644)
}
