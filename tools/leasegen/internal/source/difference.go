package source

import (
	"maps"
	"slices"
	"strconv"
)

func index(i int) string { return strconv.Itoa(i) }

// difference returns the pointer of the first place where two JSON values are not
// the same. Numbers are compared as they are spelled: 1.0 became 1 is a loss too.
func difference(a, b any, pointer string) (string, bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return pointer, true
		}
		return differentMember(a, b, pointer)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return pointer, true
		}
		for i := range a {
			if at, differs := difference(a[i], b[i], Join(pointer, index(i))); differs {
				return at, true
			}
		}
		return "", false
	default:
		return pointer, a != b
	}
}

func differentMember(a, b map[string]any, pointer string) (string, bool) {
	names := slices.Sorted(maps.Keys(a))
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	for _, name := range names {
		left, inA := a[name]
		right, inB := b[name]
		if !inA || !inB {
			return Join(pointer, name), true
		}
		if at, differs := difference(left, right, Join(pointer, name)); differs {
			return at, true
		}
	}
	return "", false
}
