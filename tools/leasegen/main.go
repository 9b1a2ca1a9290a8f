// Leasegen turns the schemas of package containlease/schema into the Go package
// containlease/gen/leasefile: types, strict decoders, canonical encoders.
//
//	leasegen            prints how the generated files differ, and fails if they do
//	leasegen -write     writes them
//
// Run it in the folder tools, or name the folder of the generated files by -dir. A
// schema that uses a keyword which the generated code would not enforce stops the
// generation with the JSON pointer of the keyword: nothing is ever left out
// silently. The output depends on the schemas only.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
