package ir

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// initialisms are the words that Go spells in capitals.
var initialisms = map[string]string{"id": "ID", "pid": "PID", "api": "API", "sha256": "SHA256", "uuid4": "UUID4"}

var words = regexp.MustCompile(`[A-Z]?[a-z0-9]+`)

// GoName spells a JSON name or a word of an enum as an exported Go name.
func GoName(name string) string {
	var b strings.Builder
	for _, word := range words.FindAllString(name, -1) {
		word = strings.ToLower(word)
		if upper, ok := initialisms[word]; ok {
			b.WriteString(upper)
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

var keyName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// checkOrder refuses names whose canonical order could depend on who sorts: by
// bytes, as here, or without regard to case first, as locales do.
func checkOrder(names []string) error {
	folded := slices.Clone(names)
	for i, name := range names {
		if !keyName.MatchString(name) {
			return fmt.Errorf("the name %q is not made of ASCII letters and digits, so its order depends on the locale", name)
		}
		folded[i] = strings.ToLower(name)
	}
	for i := 1; i < len(folded); i++ {
		if folded[i-1] >= folded[i] {
			return fmt.Errorf("bytes put %q before %q, a locale that ignores case does not", names[i-1], names[i])
		}
	}
	return nil
}
