package persist_test

import (
	"fmt"

	"containlease/persist"
)

// A digest stands for the exact bytes: it is the condition of the next write.
func ExampleDigestOf() {
	d := persist.DigestOf([]byte("{}\n"))
	again, err := persist.ParseDigest(d.String())
	fmt.Println(d == again, err, d == persist.DigestOf([]byte("{}")))
	// Output: true <nil> false
}
