package lease

import (
	"maps"
	"slices"
	"strings"
)

// Mark is the variable in a plugin's environment that names the leases under which it runs, the outermost first, with colons between
// them. Children inherit it, so after a crash it shows processes that are in no boundary any more. It is a sign and no proof: to carry it keeps
// a lease from being taken for gone, not to carry it says nothing.
const Mark = "CONTAINLEASE_LEASES"

// Marked returns env with the mark of one more lease. Of a variable that is there twice the first counts, as it does for getenv.
func Marked(env []string, id string) []string {
	isMark := func(entry string) bool { return strings.HasPrefix(entry, Mark+"=") }
	mark := Mark + "=" + id
	if i := slices.IndexFunc(env, isMark); i >= 0 {
		mark = env[i] + ":" + id
	}
	return append([]string{mark}, slices.DeleteFunc(slices.Clone(env), isMark)...)
}

// carrier is the pid of a process that carries the mark of a lease, 0 where none is seen. All processes are looked at once for each
// operation; a removal, which judges again, looks again.
func (v view) carrier(id string) int64 {
	all := v.carriers()
	for _, pid := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(strings.Split(all[pid], ":"), id) {
			return pid
		}
	}
	return 0
}
