package lease

import (
	"slices"
	"strings"
)

// Mark is the variable in a plugin's environment that names the leases under which it runs, the outermost first, with colons between
// them. Children inherit it, so after a crash it shows processes that are in no boundary any more. It is a sign and no proof: to carry it keeps
// a lease from being taken for gone, not to carry it says nothing.
const Mark = "CONTAINLEASE_LEASES"

// Marked returns env with the mark of one more lease. It comes last, where a program that writes over its arguments and its environment
// (to change its title) comes last. Of a variable that is there twice the first counts, as it does for getenv.
func Marked(env []string, id string) []string {
	isMark := func(entry string) bool { return strings.HasPrefix(entry, Mark+"=") }
	mark := Mark + "=" + id
	if i := slices.IndexFunc(env, isMark); i >= 0 {
		mark = env[i] + ":" + id
	}
	return append(slices.DeleteFunc(slices.Clone(env), isMark), mark)
}
