package schema_test

import (
	"encoding/json"
	"fmt"

	"containlease/schema"
)

// Every record has a schema that any validator takes.
func Example() {
	for _, name := range schema.Names() {
		text, _ := schema.Read(name)
		var s struct{ Title string }
		if err := json.Unmarshal(text, &s); err == nil && name[:5] == "lease" {
			fmt.Println(name, "-", s.Title)
		}
	}
	// Output:
	// lease-v1 - Containment lease, version 1
	// lease-v2 - Containment lease, version 2
}
